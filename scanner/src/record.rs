//! The second stage: one line, from its places. Proves that it is exactly one JSON object by RFC 8259, and keeps
//! of it what the store asks for.
use crate::fields::{Fields, Leaf, NO_NODE};
use crate::shapes::MAX_SHAPE_BYTES;
use crate::values::{copy, end_of_scalar, hash_id, is_blank, time_of};

/// An id is its hash, its place and its length; a time is a double, its place and its length.
pub type Slot = [u32; 4];
/// A record with more ids and times is left to the host.
pub const MAX_SLOTS: usize = 1024;
/// So is one that is nested more deeply.
const MAX_DEPTH: usize = 256;
const MAX_WORD: usize = 64;
const MAX_DIGITS: usize = 15;
const MAX_ID: usize = 256;

/// These bytes stand for an id and for a time. JSON has no control characters.
pub const ID_MARK: u8 = 1;
pub const TIME_MARK: u8 = 2;

/// Why a line gets no shape.
pub enum Refusal {
    /// It is not one JSON object.
    NotAnObject,
    /// It may be one, but the host has to read it.
    Unclear,
}

use Refusal::{NotAnObject, Unclear};

#[derive(Clone, Copy)]
struct Frame {
    node: u16,
    is_array: bool,
    /// One bit for each named field that was met.
    seen: u32,
    /// The length of the shape before this value, and right after its opening bracket.
    before: u32,
    opened: u32,
    /// In an object: the place of the last name that is not one of the named fields, and of the one that was kept.
    name: (u32, u32),
    kept: Option<(u32, u32)>,
}

const NO_FRAME: Frame =
    Frame { node: NO_NODE, is_array: false, seen: 0, before: 0, opened: 0, name: (0, 0), kept: None };

/// What is kept of one line. Its memory is used for every line, and starts as zeros.
pub struct Kept {
    frames: [Frame; MAX_DEPTH],
    shape: [u8; MAX_SHAPE_BYTES],
    length: usize,
    slots: [Slot; MAX_SLOTS],
    slot_count: usize,
}

impl Kept {
    pub fn shape(&self) -> &[u8] {
        &self.shape[..self.length]
    }

    pub fn slots(&self) -> &[Slot] {
        &self.slots[..self.slot_count]
    }
}

pub struct Record<'a> {
    pub bytes: &'a [u8],
    pub places: &'a [u32],
    /// The next of the places.
    pub next: usize,
    pub fields: &'a Fields,
    pub names: &'a [u8],
    pub seeds: [u32; 2],
    pub kept: &'a mut Kept,
}

enum Step {
    Value(u16),
    Key,
    AfterValue,
}

impl<'a> Record<'a> {
    /// Reads up to and including the newline.
    pub fn read(&mut self) -> Result<(), Refusal> {
        self.kept.length = 0;
        self.kept.slot_count = 0;
        if self.peek() != b'{' {
            return Err(NotAnObject);
        }
        let mut depth = 0;
        let mut step = Step::Value(0);
        loop {
            step = match step {
                Step::Value(node) => self.value(node, &mut depth)?,
                Step::Key => self.key(depth)?,
                Step::AfterValue if depth == 0 => {
                    return if self.take().1 == b'\n' { Ok(()) } else { Err(NotAnObject) };
                }
                Step::AfterValue => self.after_value(&mut depth)?,
            }
        }
    }

    #[inline(always)]
    fn take(&mut self) -> (usize, u8) {
        let taken = self.at_next();
        self.next += 1;
        taken
    }

    #[inline(always)]
    fn peek(&self) -> u8 {
        self.at_next().1
    }

    #[inline(always)]
    fn at_next(&self) -> (usize, u8) {
        // SAFETY: the last place of a line is its newline. Nothing expects one there but the end of the record, so
        // that reading goes no further. Every place is one of the bytes.
        unsafe {
            let place = *self.places.get_unchecked(self.next) as usize;
            (place, *self.bytes.get_unchecked(place))
        }
    }

    /// The place of the closing quote. Whatever is wrong in a string is a place before it.
    #[inline(always)]
    fn end_of_string(&mut self) -> Result<usize, Refusal> {
        match self.take() {
            (end, b'"') => Ok(end),
            _ => Err(NotAnObject),
        }
    }

    #[inline(always)]
    fn value(&mut self, node: u16, depth: &mut usize) -> Result<Step, Refusal> {
        let (at, byte) = self.take();
        match byte {
            b'"' => {
                let end = self.end_of_string()?;
                if node != NO_NODE {
                    self.keep_string(node, at + 1, end)?;
                }
                Ok(Step::AfterValue)
            }
            b'{' | b'[' => self.open(node, byte, depth),
            b't' | b'f' | b'n' | b'-' | b'0'..=b'9' => {
                let end = end_of_scalar(self.bytes, at).ok_or(NotAnObject)?;
                if node != NO_NODE {
                    self.keep_scalar(node, at, end)?;
                }
                Ok(Step::AfterValue)
            }
            _ => Err(NotAnObject),
        }
    }

    #[inline(always)]
    fn open(&mut self, node: u16, byte: u8, depth: &mut usize) -> Result<Step, Refusal> {
        if *depth == MAX_DEPTH {
            return Err(Unclear);
        }
        let is_array = byte == b'[';
        let before = self.kept.length as u32;
        let mut elements = NO_NODE;
        if node != NO_NODE {
            let of = self.fields.node(node);
            if of.leaf == Leaf::Whole {
                return Err(Unclear);
            }
            elements = of.elements;
            let is_field = *depth > 0 && !self.kept.frames[*depth - 1].is_array;
            self.separate()?;
            if of.is_pruned && is_field {
                self.keep(b"\"*\":")?;
            }
            self.keep(&[byte])?;
        }
        let opened = self.kept.length as u32;
        self.kept.frames[*depth] = Frame { node, is_array, before, opened, ..NO_FRAME };
        *depth += 1;
        match (is_array, self.peek()) {
            (true, b']') | (false, b'}') => {
                self.next += 1;
                self.close(depth)
            }
            (true, _) => Ok(Step::Value(elements)),
            (false, _) => Ok(Step::Key),
        }
    }

    #[inline(always)]
    fn after_value(&mut self, depth: &mut usize) -> Result<Step, Refusal> {
        let frame = &self.kept.frames[*depth - 1];
        let (node, is_array) = (frame.node, frame.is_array);
        match (self.take().1, is_array) {
            (b',', true) => Ok(Step::Value(if node == NO_NODE { NO_NODE } else { self.fields.node(node).elements })),
            (b',', false) => Ok(Step::Key),
            (b']', true) | (b'}', false) => self.close(depth),
            _ => Err(NotAnObject),
        }
    }

    #[inline(always)]
    fn close(&mut self, depth: &mut usize) -> Result<Step, Refusal> {
        *depth -= 1;
        let Frame { node, is_array, before, opened, .. } = self.kept.frames[*depth];
        if node == NO_NODE {
            return Ok(Step::AfterValue);
        }
        let is_pruned = self.fields.node(node).is_pruned;
        if is_pruned && self.kept.length as u32 == opened {
            self.kept.length = before as usize;
            return Ok(Step::AfterValue);
        }
        if is_pruned && *depth > 0 && !self.kept.frames[*depth - 1].is_array {
            self.note_other(*depth - 1)?;
        }
        self.keep(if is_array { b"]" } else { b"}" })?;
        Ok(Step::AfterValue)
    }

    #[inline(always)]
    fn key(&mut self, depth: usize) -> Result<Step, Refusal> {
        let (start, byte) = self.take();
        if byte != b'"' {
            return Err(NotAnObject);
        }
        let end = self.end_of_string()? + 1;
        if self.take().1 != b':' {
            return Err(NotAnObject);
        }
        let node = self.kept.frames[depth - 1].node;
        if node == NO_NODE {
            return Ok(Step::Value(NO_NODE));
        }
        self.field(depth - 1, node, start, end)
    }

    /// Of fields with the same name, the last one counts. A record with such fields is left to the host.
    #[inline(always)]
    fn field(&mut self, frame: usize, node: u16, start: usize, end: usize) -> Result<Step, Refusal> {
        let bytes = self.bytes;
        let name = &bytes[start..end];
        let Some((number, key)) = self.fields.find(node, name, self.names) else {
            if name.contains(&b'\\') {
                return Err(Unclear);
            }
            let others = self.fields.node(node).others;
            if others != NO_NODE {
                let frame = &mut self.kept.frames[frame];
                frame.name = (start as u32, end as u32);
                if frame.kept.is_some_and(|(from, to)| &bytes[from as usize..to as usize] == name) {
                    return Err(Unclear);
                }
            }
            return Ok(Step::Value(others));
        };
        let seen = &mut self.kept.frames[frame].seen;
        if *seen & 1 << number != 0 {
            return Err(Unclear);
        }
        *seen |= 1 << number;
        self.separate()?;
        self.keep(key.name(self.names))?;
        Ok(Step::Value(key.node))
    }

    /// Remembers the name of the field that was just kept in this object. Two such fields could have one name.
    fn note_other(&mut self, frame: usize) -> Result<(), Refusal> {
        let frame = &mut self.kept.frames[frame];
        match frame.kept.replace(frame.name) {
            None => Ok(()),
            Some(_) => Err(Unclear),
        }
    }

    fn keep_string(&mut self, node: u16, start: usize, end: usize) -> Result<(), Refusal> {
        let node = self.fields.node(node);
        if node.is_pruned {
            return Ok(());
        }
        let bytes = self.bytes;
        let text = &bytes[start..end];
        self.separate()?;
        match node.leaf {
            Leaf::Whole => Err(Unclear),
            Leaf::Nothing | Leaf::Count => self.keep(b"\"\""),
            Leaf::Text if text.is_empty() => self.keep(b"\"\""),
            Leaf::Text => self.keep(if is_blank(text) { b"\" \"" } else { b"\"x\"" }),
            Leaf::Word if text.len() > MAX_WORD || text.contains(&b'\\') => Err(Unclear),
            Leaf::Word => self.keep(&bytes[start - 1..end + 1]),
            Leaf::Id | Leaf::Time if text.is_empty() => self.keep(b"\"\""),
            Leaf::Id if !is_plain_id(text) => Err(Unclear),
            Leaf::Id => {
                let [a, b] = hash_id(text, self.seeds);
                self.keep_slot(ID_MARK, [a, b, start as u32, text.len() as u32])
            }
            Leaf::Time => {
                let time = time_of(text).ok_or(Unclear)?.to_bits();
                self.keep_slot(TIME_MARK, [time as u32, (time >> 32) as u32, start as u32, text.len() as u32])
            }
        }
    }

    /// Numbers are kept only as words. Elsewhere it matters only that the value is a number, or a count.
    fn keep_scalar(&mut self, node: u16, start: usize, end: usize) -> Result<(), Refusal> {
        let node = self.fields.node(node);
        if node.is_pruned {
            return Ok(());
        }
        let bytes = self.bytes;
        self.separate()?;
        if bytes[start].is_ascii_alphabetic() {
            return self.keep(&bytes[start..end]);
        }
        match node.leaf {
            Leaf::Word if end - start > MAX_WORD => Err(Unclear),
            Leaf::Word => self.keep(&bytes[start..end]),
            Leaf::Count if end - start > MAX_DIGITS || !bytes[start..end].iter().all(u8::is_ascii_digit) => {
                Err(Unclear)
            }
            Leaf::Time | Leaf::Whole => Err(Unclear),
            Leaf::Nothing | Leaf::Id | Leaf::Text | Leaf::Count => self.keep(b"0"),
        }
    }

    fn keep_slot(&mut self, mark: u8, slot: Slot) -> Result<(), Refusal> {
        let count = self.kept.slot_count;
        *self.kept.slots.get_mut(count).ok_or(Unclear)? = slot;
        self.kept.slot_count += 1;
        self.keep(&[mark])
    }

    #[inline(always)]
    fn separate(&mut self) -> Result<(), Refusal> {
        match self.kept.shape().last() {
            None | Some(b'{' | b'[' | b':') => Ok(()),
            Some(_) => self.keep(b","),
        }
    }

    #[inline(always)]
    fn keep(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let length = self.kept.length;
        let room = self.kept.shape.get_mut(length..length + text.len()).ok_or(Unclear)?;
        copy(text, room);
        self.kept.length = length + text.len();
        Ok(())
    }
}

/// Characters of ASCII without an escape: then its bytes are its characters for the host's hash.
fn is_plain_id(text: &[u8]) -> bool {
    // Without an early end, so that many bytes are tested at once.
    let is_plain = text.iter().fold(true, |is_plain, &byte| is_plain & (0x20..0x7f).contains(&byte) & (byte != b'\\'));
    is_plain && text.len() <= MAX_ID && text[0] != b' '
}
