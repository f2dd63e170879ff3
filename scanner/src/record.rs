//! The second stage: one line, from its places. Proves that it is exactly one JSON object by RFC 8259, and keeps
//! of it what the store asks for.
use crate::fields::{Fields, Leaf, NO_NODE, Name, Names};
use crate::kept::{Frame, ID_MARK, Kept, MAX_DEPTH, NUMBER_MARK, TIME_MARK};
use crate::simd::Bytes16;
use crate::values::{
    end_of_scalar, ends_scalar, hash_id, is_any, is_backslash, is_blank, is_json_space, is_not_plain, own_mask,
    time_of, whole_number,
};

const MAX_WORD: usize = 64;
const MAX_DIGITS: usize = 15;
const MAX_ID: usize = 256;

/// Why a line gets no shape.
pub enum Refusal {
    /// It is not one JSON object.
    NotAnObject,
    /// It may be one, but the host has to read it.
    Unclear,
}

use Refusal::{NotAnObject, Unclear};

/// What records are read from. It does not change, so that it stays in registers.
pub struct Input<'a> {
    /// Sixteen bytes can be read from each of them on.
    pub bytes: &'a [u8],
    pub places: &'a [u32],
    pub fields: &'a Fields,
    pub names: &'a Names,
    pub seeds: [u32; 2],
}

/// Where a token is, and its first byte.
pub type Token = (usize, u8);

impl Input<'_> {
    /// Reads a record up to and including its newline. `next` is the next of the places.
    pub fn read(&self, next: &mut usize, kept: &mut Kept) -> Result<(), Refusal> {
        // In a register.
        let mut own_next = *next;
        let result = self.read_from(&mut own_next, kept);
        *next = own_next;
        result
    }

    #[inline(always)]
    fn read_from(&self, next: &mut usize, kept: &mut Kept) -> Result<(), Refusal> {
        let (mut at, mut byte) = self.token_at(*next);
        if byte != b'{' {
            return Err(NotAnObject);
        }
        // Of the innermost object or array.
        let (mut depth, mut of, mut is_array) = (0, NO_NODE, false);
        let mut node = 0;
        loop {
            // A value starts here, and an operator follows it.
            (at, byte) = if byte == b'"' {
                self.read_string(next, kept, node, at)?
            } else if byte | 0x20 == b'{' {
                // A bracket of either kind.
                *next += 1;
                self.open(kept, node, byte, depth)?;
                depth += 1;
                (of, is_array) = (node, byte == b'[');
                self.after_opening(next, at, byte + 2)?
            } else {
                self.read_scalar(next, kept, node, at)?
            };
            // Up to the next value.
            loop {
                while byte != b',' {
                    if byte != if is_array { b']' } else { b'}' } {
                        return Err(NotAnObject);
                    }
                    depth -= 1;
                    if of != NO_NODE {
                        self.close(kept, depth)?;
                    }
                    (at, byte) = self.after_closing(next, at)?;
                    if depth == 0 {
                        return if byte == b'\n' { Ok(()) } else { Err(NotAnObject) };
                    }
                    let frame = kept.frame(depth - 1);
                    (of, is_array) = (frame.node, frame.is_array);
                }
                (at, byte) = self.after_operator(next, at)?;
                if is_array {
                    node = if of == NO_NODE { NO_NODE } else { self.fields.node(of).elements };
                    break;
                }
                if byte != b'"' {
                    return Err(NotAnObject);
                }
                if self.fields.is_plain(of) {
                    let length = self.take_run(next, kept, depth - 1, of, at)?;
                    if length > 0 {
                        (at, byte) = (at + length - 1, b',');
                        continue;
                    }
                }
                let (end, after) = self.end_of_string(next)?;
                if after.1 != b':' {
                    return Err(NotAnObject);
                }
                node = if of == NO_NODE { NO_NODE } else { self.field(kept, depth - 1, of, at, end + 1)? };
                (at, byte) = self.after_operator(next, after.0)?;
                break;
            }
        }
    }

    /// The operator after a string.
    #[inline(always)]
    pub fn read_string(&self, next: &mut usize, kept: &mut Kept, node: u16, at: usize) -> Result<Token, Refusal> {
        let (end, after) = self.end_of_string(next)?;
        if node != NO_NODE {
            self.keep_string(kept, node, at + 1, end)?;
        }
        Ok(after)
    }

    /// The operator after a number or a literal.
    #[inline(always)]
    pub fn read_scalar(&self, next: &mut usize, kept: &mut Kept, node: u16, at: usize) -> Result<Token, Refusal> {
        let after = self.take(next);
        let end = match self.is_whole_number(at, after.0) && ends_scalar(after.1) {
            true => after.0,
            // SAFETY: the bytes are as it demands.
            false => unsafe { end_of_scalar(self.bytes, at) }.ok_or(NotAnObject)?,
        };
        if node != NO_NODE {
            self.keep_scalar(kept, node, at, end)?;
        }
        Ok(after)
    }

    /// Whether nothing but a whole number of up to sixteen digits is there.
    #[inline(always)]
    fn is_whole_number(&self, start: usize, end: usize) -> bool {
        // SAFETY: sixteen bytes can be read from each byte on.
        let bytes = unsafe { Bytes16::load(self.bytes.as_ptr().add(start)) };
        let digits = bytes.xor(Bytes16::splat(b'0')).is_at_most(Bytes16::splat(9)).mask();
        let length = end - start;
        let own = own_mask(length);
        let is_short = (1..=Bytes16::LENGTH).contains(&length);
        is_short && digits & own == own && (length == 1 || self.byte(start) != b'0')
    }

    #[inline(always)]
    fn take(&self, next: &mut usize) -> Token {
        *next += 1;
        self.token_at(*next - 1)
    }

    #[inline(always)]
    fn token_at(&self, number: usize) -> Token {
        // SAFETY: the last place of a line is its newline. Nothing expects one there but the end of the record, so
        // that reading goes no further. Every place is one of the bytes.
        unsafe {
            let place = *self.places.get_unchecked(number) as usize;
            (place, *self.bytes.get_unchecked(place))
        }
    }

    /// The byte at a place next to another one: the first of a line is never asked for what is before it, and its
    /// newline never for what is after it.
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        debug_assert!(at < self.bytes.len());
        // SAFETY: see above.
        unsafe { *self.bytes.get_unchecked(at) }
    }

    /// The first byte after an operator that is not a space. It is a place only if it is a bracket, or follows a
    /// space; a bracket is not taken yet.
    #[inline(always)]
    pub fn after_operator(&self, next: &mut usize, operator: usize) -> Result<Token, Refusal> {
        let byte = self.byte(operator + 1);
        if byte > b' ' {
            return Ok((operator + 1, byte));
        }
        let token = self.token_at(*next);
        if !is_json_space(byte) || token.1 == b'\n' {
            return Err(NotAnObject);
        }
        *next += !matches!(token.1, b'{' | b'[' | b'}' | b']') as usize;
        Ok(token)
    }

    /// What follows an opening bracket: the closing one, or else it is followed by what would follow a comma.
    #[inline(always)]
    fn after_opening(&self, next: &mut usize, at: usize, closing: u8) -> Result<Token, Refusal> {
        let mut token = (at + 1, self.byte(at + 1));
        if token.1 <= b' ' {
            if !is_json_space(token.1) {
                return Err(NotAnObject);
            }
            token = self.token_at(*next);
        }
        if token.1 != closing {
            return Ok((at, b','));
        }
        *next += 1;
        Ok(token)
    }

    /// The operator after a closing bracket.
    #[inline(always)]
    fn after_closing(&self, next: &mut usize, at: usize) -> Result<Token, Refusal> {
        let token = self.take(next);
        if token.0 == at + 1 || is_json_space(self.byte(at + 1)) { Ok(token) } else { Err(NotAnObject) }
    }

    /// The closing quote of the string that was just met, and the operator after it. If something is wrong in the
    /// string, then that is its next place: never an operator, unless a backslash is before it.
    #[inline(always)]
    pub fn end_of_string(&self, next: &mut usize) -> Result<(usize, Token), Refusal> {
        let after = self.take(next);
        let end = after.0 - 1;
        if self.byte(end) == b'"' {
            return Ok((end, after));
        }
        Ok((before_spaces(self.bytes, end)?, after))
    }

    #[inline(always)]
    fn open(&self, kept: &mut Kept, node: u16, byte: u8, depth: usize) -> Result<(), Refusal> {
        if depth == MAX_DEPTH {
            return Err(Unclear);
        }
        if node != NO_NODE {
            return self.open_kept(kept, node, byte, depth);
        }
        let frame = kept.frame(depth);
        (frame.node, frame.is_array) = (NO_NODE, byte == b'[');
        Ok(())
    }

    #[inline(never)]
    fn open_kept(&self, kept: &mut Kept, node: u16, byte: u8, depth: usize) -> Result<(), Refusal> {
        let of = self.fields.node(node);
        if of.leaf == Leaf::Whole {
            return Err(Unclear);
        }
        let before = kept.length as u32;
        if depth > 0 {
            kept.separate();
            if of.is_pruned && !kept.frame(depth - 1).is_array {
                kept.keep(b"\"*\":")?;
            }
        }
        kept.keep(&[byte])?;
        let opened = kept.length as u32;
        *kept.frame(depth) =
            Frame { node, is_array: byte == b'[', seen: 0, before, opened, name: (0, 0), kept: (0, 0) };
        Ok(())
    }

    #[inline(never)]
    fn close(&self, kept: &mut Kept, depth: usize) -> Result<(), Refusal> {
        let &mut Frame { node, is_array, before, opened, .. } = kept.frame(depth);
        if self.fields.node(node).is_pruned {
            if kept.length as u32 == opened {
                kept.length = before as usize;
                return Ok(());
            }
            if depth > 0 && !kept.frame(depth - 1).is_array {
                kept.note_other(depth - 1)?;
            }
        }
        kept.keep(&[if is_array { b']' } else { b'}' }])
    }

    /// Of fields with the same name, the last one counts. A record with such fields is left to the host.
    #[inline(always)]
    pub fn field(&self, kept: &mut Kept, frame: usize, node: u16, start: usize, end: usize) -> Result<u16, Refusal> {
        // SAFETY: a colon follows it, so that it is a whole string.
        let name = unsafe { Name::new(self.bytes, start, end) };
        let Some((number, key)) = self.fields.find(node, &name, self.names) else {
            return self.other_field(kept, frame, node, &name);
        };
        let seen = &mut kept.frame(frame).seen;
        if *seen & 1 << number != 0 {
            return Err(Unclear);
        }
        *seen |= 1 << number;
        kept.separate();
        kept.keep_long(key.name(self.names))?;
        Ok(key.node)
    }

    #[inline(always)]
    fn other_field(&self, kept: &mut Kept, frame: usize, node: u16, name: &Name) -> Result<u16, Refusal> {
        if name.has_backslash() {
            return Err(Unclear);
        }
        let others = self.fields.node(node).others;
        if others != NO_NODE {
            let frame = kept.frame(frame);
            let (start, end) = name.place();
            frame.name = (start as u32, end as u32);
            if frame.kept.1 > 0 && self.is_same_name(frame.name, frame.kept) {
                return Err(Unclear);
            }
        }
        Ok(others)
    }

    #[inline(never)]
    fn is_same_name(&self, one: (u32, u32), other: (u32, u32)) -> bool {
        self.bytes[one.0 as usize..one.1 as usize] == self.bytes[other.0 as usize..other.1 as usize]
    }

    #[inline(never)]
    fn keep_string(&self, kept: &mut Kept, node: u16, start: usize, end: usize) -> Result<(), Refusal> {
        let node = self.fields.node(node);
        if node.is_pruned {
            return Ok(());
        }
        let bytes = self.bytes;
        // The opening quote is met where a string has no end.
        let text = bytes.get(start..end).ok_or(NotAnObject)?;
        kept.separate();
        match node.leaf {
            Leaf::Whole => Err(Unclear),
            Leaf::Nothing | Leaf::Count | Leaf::Number => kept.keep(b"\"\""),
            Leaf::Text if text.is_empty() => kept.keep(b"\"\""),
            Leaf::Text => kept.keep(&[b'"', if is_blank(text) { b' ' } else { b'x' }, b'"']),
            // SAFETY: sixteen bytes can be read from each of these, here and below.
            Leaf::Word if text.len() > MAX_WORD || unsafe { is_any(text, is_backslash) } => Err(Unclear),
            Leaf::Word => kept.keep_long(&bytes[start - 1..end + 1]),
            Leaf::Id | Leaf::Time if text.is_empty() => kept.keep(b"\"\""),
            Leaf::Id if text.len() > MAX_ID || text[0] == b' ' || unsafe { is_any(text, is_not_plain) } => Err(Unclear),
            Leaf::Id => {
                let [a, b] = unsafe { hash_id(text, self.seeds) };
                kept.keep_slot(ID_MARK, [a, b, start as u32, text.len() as u32])
            }
            Leaf::Time => {
                let time = time_of(text).ok_or(Unclear)?.to_bits();
                kept.keep_slot(TIME_MARK, [time as u32, (time >> 32) as u32, start as u32, text.len() as u32])
            }
        }
    }

    /// Numbers are kept only as words, or in slots. Elsewhere it matters only that the value is a number, or a count.
    #[inline(never)]
    fn keep_scalar(&self, kept: &mut Kept, node: u16, start: usize, end: usize) -> Result<(), Refusal> {
        let node = self.fields.node(node);
        if node.is_pruned {
            return Ok(());
        }
        let bytes = self.bytes;
        kept.separate();
        if bytes[start].is_ascii_alphabetic() {
            // SAFETY: sixteen bytes can be read from each of these.
            let word = unsafe { bytes.as_ptr().add(start).cast::<[u8; 8]>().read_unaligned() };
            return kept.keep_word(word, end - start);
        }
        match node.leaf {
            Leaf::Word if end - start > MAX_WORD => Err(Unclear),
            Leaf::Word => kept.keep_long(&bytes[start..end]),
            Leaf::Count if end - start > MAX_DIGITS || !bytes[start..end].iter().all(u8::is_ascii_digit) => {
                Err(Unclear)
            }
            Leaf::Time | Leaf::Whole => Err(Unclear),
            Leaf::Number => self.keep_number(kept, start, end),
            Leaf::Nothing | Leaf::Id | Leaf::Text | Leaf::Count => kept.keep(b"0"),
        }
    }

    /// Apart, because it would make the code for all other values longer.
    #[inline(never)]
    fn keep_number(&self, kept: &mut Kept, start: usize, end: usize) -> Result<(), Refusal> {
        if end - start > MAX_DIGITS {
            return Err(Unclear);
        }
        let number = whole_number(&self.bytes[start..end]).ok_or(Unclear)?.to_bits();
        kept.keep_slot(NUMBER_MARK, [number as u32, (number >> 32) as u32, start as u32, (end - start) as u32])
    }
}

#[cold]
#[inline(never)]
fn before_spaces(bytes: &[u8], mut end: usize) -> Result<usize, Refusal> {
    while is_json_space(bytes[end]) {
        end -= 1;
    }
    if bytes[end] == b'"' { Ok(end) } else { Err(NotAnObject) }
}
