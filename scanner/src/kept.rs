//! What is kept of one line while it is read: its shape, its slots, and the objects and arrays that are open.
use crate::record::Refusal::{self, Unclear};
use crate::runs::Runs;
use crate::shapes::MAX_SHAPE_BYTES;
use crate::simd::Bytes16;

/// An id is its hash, its place and its length; a time or a number is a double, its place and its length.
pub type Slot = [u32; 4];
/// A record with more ids, times and numbers is left to the host.
pub const MAX_SLOTS: usize = 1024;
pub const MAX_ALL_SLOTS: usize = 32 * 1024;
/// So is one that is nested more deeply.
pub const MAX_DEPTH: usize = 256;

/// These bytes stand for an id, a time and a number. JSON has no control characters.
pub const ID_MARK: u8 = 1;
pub const TIME_MARK: u8 = 2;
pub const NUMBER_MARK: u8 = 3;

/// An object or array that is open. Of one that nothing is asked about, only the first two are set.
#[derive(Clone, Copy)]
pub struct Frame {
    pub node: u16,
    pub is_array: bool,
    /// One bit for each named field that was met.
    pub seen: u32,
    /// The length of the shape before this value, and right after its opening bracket.
    pub before: u32,
    pub opened: u32,
    /// In an object: start and end of the last name that is not one of the named fields, and of the one that was
    /// kept. The end is 0 where there is none.
    pub name: (u32, u32),
    pub kept: (u32, u32),
}

/// What is kept of one line. Its memory is used for every line, and starts as zeros.
pub struct Kept {
    pub frames: [Frame; MAX_DEPTH],
    /// Sixteen bytes are written at once.
    shape: [u8; MAX_SHAPE_BYTES + Bytes16::LENGTH],
    pub length: usize,
    /// Those of all lines since `advance` was called. The last ones belong to this line.
    pub slots: [Slot; MAX_ALL_SLOTS],
    pub slot_start: usize,
    pub slot_count: usize,
    pub runs: Runs,
}

impl Kept {
    /// Begins a line. There is room for all slots that it may have.
    #[inline(always)]
    pub fn start(&mut self) {
        debug_assert!(self.slot_count + MAX_SLOTS <= MAX_ALL_SLOTS);
        self.length = 0;
        self.slot_start = self.slot_count;
    }

    /// The shape, followed by bytes that mean nothing: sixteen can be read from each of its own.
    #[inline(always)]
    pub fn shape(&self) -> &[u8] {
        // SAFETY: it never gets longer.
        unsafe { self.shape.get_unchecked(..self.length) }
    }

    /// The one that is so many below the record.
    #[inline(always)]
    pub fn frame(&mut self, depth: usize) -> &mut Frame {
        &mut self.frames[depth % MAX_DEPTH]
    }

    /// Remembers the name of the field that was just kept in this object. Two such fields could have one name.
    pub fn note_other(&mut self, frame: usize) -> Result<(), Refusal> {
        let frame = self.frame(frame);
        let is_first = frame.kept.1 == 0;
        frame.kept = frame.name;
        if is_first { Ok(()) } else { Err(Unclear) }
    }

    #[inline(always)]
    pub fn keep_slot(&mut self, mark: u8, slot: Slot) -> Result<(), Refusal> {
        let count = self.slot_count;
        if count == self.slot_start + MAX_SLOTS {
            return Err(Unclear);
        }
        self.slots[count % MAX_ALL_SLOTS] = slot;
        self.slot_count = count + 1;
        self.keep(&[mark])
    }

    /// Writes a comma if a value or a name needs one before it. That is kept next, inside of the record.
    #[inline(always)]
    pub fn separate(&mut self) {
        debug_assert!(0 < self.length && self.length <= MAX_SHAPE_BYTES);
        // SAFETY: the bracket of the record was kept, and the shape has bytes to spare.
        unsafe {
            let last = *self.shape.get_unchecked(self.length - 1);
            *self.shape.get_unchecked_mut(self.length) = b',';
            self.length += !(last | 0x20 == b'{' || last == b':') as usize;
        }
    }

    /// Keeps a text of up to eight bytes.
    #[inline(always)]
    pub fn keep<const LENGTH: usize>(&mut self, text: &[u8; LENGTH]) -> Result<(), Refusal> {
        let mut word = [0; 8];
        word[..LENGTH].copy_from_slice(text);
        self.keep_word(word, LENGTH)
    }

    /// Keeps the first of these bytes.
    #[inline(always)]
    pub fn keep_word(&mut self, text: [u8; 8], length: usize) -> Result<(), Refusal> {
        let start = self.length;
        if start + length > MAX_SHAPE_BYTES {
            return Err(Unclear);
        }
        // SAFETY: the shape has sixteen bytes more.
        unsafe { self.shape.as_mut_ptr().add(start).cast::<[u8; 8]>().write_unaligned(text) };
        self.length = start + length;
        Ok(())
    }

    /// Sixteen bytes can be read from each of these.
    #[inline(always)]
    pub fn keep_long(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let start = self.length;
        if start + text.len() > MAX_SHAPE_BYTES {
            return Err(Unclear);
        }
        // SAFETY: the shape has as many bytes more.
        unsafe { Bytes16::load(text.as_ptr()).store(self.shape.as_mut_ptr().add(start)) };
        self.length = start + text.len();
        if text.len() > Bytes16::LENGTH {
            self.write_rest(text, start);
        }
        Ok(())
    }

    /// Apart, because it would make the code for short texts longer.
    #[inline(never)]
    fn write_rest(&mut self, text: &[u8], start: usize) {
        let mut at = Bytes16::LENGTH;
        while at < text.len() {
            // SAFETY: as above.
            unsafe { Bytes16::load(text.as_ptr().add(at)).store(self.shape.as_mut_ptr().add(start + at)) };
            at += Bytes16::LENGTH;
        }
    }
}
