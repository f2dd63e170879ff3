//! What is kept of one line while it is read: its shape, its slots, and the objects and arrays that are open.
use crate::record::Refusal::{self, Unclear};
use crate::shapes::MAX_SHAPE_BYTES;
use crate::simd::Bytes16;

/// An id is its hash, its place and its length; a time or a number is a double, its place and its length.
pub type Slot = [u32; 4];
/// A record with more ids, times and numbers is left to the host.
pub const MAX_SLOTS: usize = 1024;
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
    slots: [Slot; MAX_SLOTS],
    pub slot_count: usize,
}

impl Kept {
    pub fn shape(&self) -> &[u8] {
        &self.shape[..self.length]
    }

    pub fn slots(&self) -> &[Slot] {
        &self.slots[..self.slot_count]
    }

    /// Remembers the name of the field that was just kept in this object. Two such fields could have one name.
    pub fn note_other(&mut self, frame: usize) -> Result<(), Refusal> {
        let frame = &mut self.frames[frame];
        let is_first = frame.kept.1 == 0;
        frame.kept = frame.name;
        if is_first { Ok(()) } else { Err(Unclear) }
    }

    pub fn keep_slot(&mut self, mark: u8, slot: Slot) -> Result<(), Refusal> {
        let count = self.slot_count;
        *self.slots.get_mut(count).ok_or(Unclear)? = slot;
        self.slot_count += 1;
        self.keep(&[mark])
    }

    #[inline(always)]
    pub fn separate(&mut self) -> Result<(), Refusal> {
        match self.shape().last() {
            None | Some(b'{' | b'[' | b':') => Ok(()),
            Some(_) => self.keep(b","),
        }
    }

    #[inline(always)]
    pub fn keep(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let length = self.length;
        if length + text.len() > MAX_SHAPE_BYTES {
            return Err(Unclear);
        }
        for (to, &from) in self.shape[length..].iter_mut().zip(text) {
            *to = from;
        }
        self.length = length + text.len();
        Ok(())
    }

    /// Sixteen bytes can be read from each of these.
    #[inline(always)]
    pub fn keep_long(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let length = self.length;
        if length + text.len() > MAX_SHAPE_BYTES {
            return Err(Unclear);
        }
        for at in (0..text.len()).step_by(Bytes16::LENGTH) {
            // SAFETY: the shape has as many bytes more.
            unsafe { Bytes16::load(text.as_ptr().add(at)).store(self.shape.as_mut_ptr().add(length + at)) };
        }
        self.length = length + text.len();
        Ok(())
    }
}
