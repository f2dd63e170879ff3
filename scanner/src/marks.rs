//! The first stage: from bytes to the places that matter. Works on blocks of 64 bytes and on masks with one bit
//! for each byte, without a branch for each byte.
//!
//! A place is a quote, an operator outside of strings, the first byte of any other text outside of strings, a
//! newline, or a byte that must not be where it is in a string. So between two places there is nothing that the
//! second stage would have to read.
use crate::simd::Bytes16;
use crate::utf8::Utf8;
use crate::values::hex_at;

pub const BLOCK: usize = 64;
const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// White space and operators, by the lower half of the byte. The entry of a half without any is a byte with
/// another lower half, so that nothing is equal to it.
const SPACES: [u8; 16] = [b' ', 0, 0, 0, 0, 0, 0, 0, 0, b'\t', b'\n', 0, 0, b'\r', 0, 0];
const OPERATORS: [u8; 16] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, b':', b'{', b',', b'}', 0, 0];
/// What may follow a backslash: `"` and `/` (2), `\` (5), `b f n` (6), `r t u` (7), by halves. One bit for each
/// upper half.
const ESCAPES_LOW: [u8; 16] = [0, 0, 1 | 4 | 8, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1];
const ESCAPES_HIGH: [u8; 16] = [0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0];

pub struct Marker<'a> {
    bytes: &'a [u8],
    utf8: Utf8,
    /// All ones inside of a string.
    in_string: u64,
    /// 1 if the first byte of the next block follows a backslash that escapes it.
    is_escaped: u64,
    /// 1 if the last byte was part of a number or a literal.
    in_scalar: u64,
    /// Where the second half of a surrogate pair is expected.
    second_half: usize,
}

/// Where the marks go. `places` has room for each byte, `notes` for each block.
pub struct Marks<'a> {
    pub places: &'a mut [u32],
    pub place_count: usize,
    /// Blocks with invalid UTF-8 or half of a surrogate pair.
    pub notes: &'a mut [u32],
    pub note_count: usize,
}

impl<'a> Marker<'a> {
    /// The last of the bytes is a newline.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, utf8: Utf8::new(), in_string: 0, is_escaped: 0, in_scalar: 0, second_half: usize::MAX }
    }

    pub fn mark(mut self, start: usize, marks: &mut Marks) {
        let end = self.bytes.len();
        let mut at = start;
        while at + BLOCK <= end {
            // SAFETY: the block ends at or before the end.
            let block = unsafe { load(self.bytes.as_ptr().add(at)) };
            self.mark_block(&block, at, marks);
            at += BLOCK;
        }
        if at < end {
            let mut rest = [b' '; BLOCK];
            rest[..end - at].copy_from_slice(&self.bytes[at..]);
            // SAFETY: `rest` is a whole block.
            let block = unsafe { load(rest.as_ptr()) };
            self.mark_block(&block, at, marks);
        }
    }

    #[inline(always)]
    fn mark_block(&mut self, block: &[Bytes16; 4], at: usize, marks: &mut Marks) {
        // Most blocks are plain text in the middle of a string.
        if self.in_string & !self.is_escaped.wrapping_neg() != 0 && self.utf8.is_last_ascii() && is_plain(block) {
            return;
        }
        let mut is_noted = self.utf8.is_broken(block);
        let backslashes = mask(block, |bytes| bytes.equals(Bytes16::splat(b'\\')));
        let escaped = self.escaped(backslashes);
        let delimiters = mask(block, |bytes| bytes.below(0x20).or(bytes.equals(Bytes16::splat(b'"')))) & !escaped;
        let places = match self.in_string != 0 && delimiters == 0 {
            true if escaped == 0 => 0,
            true => self.wrong_escapes(block, escaped, at, &mut is_noted),
            false => self.places_in(block, escaped, at, &mut is_noted),
        };
        push_places(places, at, marks);
        if is_noted {
            marks.notes[marks.note_count] = at as u32;
            marks.note_count += 1;
        }
    }

    #[inline(always)]
    fn places_in(&mut self, block: &[Bytes16; 4], escaped: u64, at: usize, is_noted: &mut bool) -> u64 {
        let quotes = mask(block, |bytes| bytes.equals(Bytes16::splat(b'"'))) & !escaped;
        let newlines = mask(block, |bytes| bytes.equals(Bytes16::splat(b'\n')));
        let controls = mask(block, |bytes| bytes.below(0x20));
        let spaces = mask(block, |bytes| bytes.and(Bytes16::splat(0x0f)).look_up(SPACES).equals(bytes));
        // With this bit set, [ and ] are equal to { and }. So are two control characters to , and : but the second
        // stage reads the byte itself.
        let operators = mask(block, |bytes| {
            let upper = bytes.or(Bytes16::splat(0x20));
            bytes.and(Bytes16::splat(0x0f)).look_up(OPERATORS).equals(upper)
        });

        // From each opening quote up to the byte before the closing one.
        let in_string = end_at_newlines(prefix_xor(quotes) ^ self.in_string, newlines);
        self.in_string = if newlines >> 63 == 1 { 0 } else { ((in_string as i64) >> 63) as u64 };

        let outside = !(in_string | quotes);
        let scalars = outside & !(spaces | operators);
        let starts = scalars & !(scalars << 1 | self.in_scalar);
        self.in_scalar = scalars >> 63;

        let mut wrong = controls & in_string;
        if escaped & in_string != 0 {
            wrong |= self.wrong_escapes(block, escaped & in_string, at, is_noted);
        }
        quotes | (operators & outside) | starts | newlines | wrong
    }

    /// The bytes that follow a backslash which is not itself escaped.
    #[inline(always)]
    fn escaped(&mut self, backslashes: u64) -> u64 {
        if backslashes == 0 {
            return core::mem::replace(&mut self.is_escaped, 0);
        }
        let possible = backslashes & !self.is_escaped;
        // Subtracting carries through a run of backslashes, so that every second one comes out.
        let codes = ((possible << 1 | ODD).wrapping_sub(possible)) ^ ODD;
        let escaped = codes ^ (backslashes | self.is_escaped);
        self.is_escaped = (codes & backslashes) >> 63;
        escaped
    }

    /// Of the escaped bytes those that cannot be: unknown ones, and `\u....` without four digits. Half of a
    /// surrogate pair is noted.
    #[inline(always)]
    fn wrong_escapes(&mut self, block: &[Bytes16; 4], escaped: u64, at: usize, is_noted: &mut bool) -> u64 {
        let mut wrong = escaped & unknown_escapes(block);
        let mut left = escaped & mask(block, |bytes| bytes.equals(Bytes16::splat(b'u')));
        while left != 0 {
            let place = at + left.trailing_zeros() as usize;
            match hex_at(self.bytes, place + 1) {
                None => wrong |= left & left.wrapping_neg(),
                Some(0xd800..=0xdbff) if self.is_second_half(place + 5) => self.second_half = place + 6,
                Some(0xd800..=0xdbff) => *is_noted = true,
                Some(0xdc00..=0xdfff) => *is_noted |= self.second_half != place,
                Some(_) => {}
            }
            left &= left - 1;
        }
        wrong
    }

    fn is_second_half(&self, at: usize) -> bool {
        self.bytes.get(at) == Some(&b'\\')
            && self.bytes.get(at + 1) == Some(&b'u')
            && matches!(hex_at(self.bytes, at + 2), Some(0xdc00..=0xdfff))
    }
}

/// # Safety
/// A whole block can be read at `at`.
#[inline(always)]
unsafe fn load(at: *const u8) -> [Bytes16; 4] {
    unsafe { [Bytes16::load(at), Bytes16::load(at.add(16)), Bytes16::load(at.add(32)), Bytes16::load(at.add(48))] }
}

#[inline(always)]
fn mask(block: &[Bytes16; 4], test: impl Fn(Bytes16) -> Bytes16) -> u64 {
    let [a, b, c, d] = block.map(|bytes| u64::from(test(bytes).mask()));
    a | b << 16 | c << 32 | d << 48
}

/// Whether these are characters of ASCII without quotes, backslashes and control characters.
#[inline(always)]
fn is_plain(block: &[Bytes16; 4]) -> bool {
    let [a, b, c, d] = block.map(|bytes| {
        let special = bytes.equals(Bytes16::splat(b'"')).or(bytes.equals(Bytes16::splat(b'\\')));
        // As a signed number, a byte outside of ASCII is below 0x20 too.
        special.or(bytes.below_signed(0x20))
    });
    a.or(b).or(c.or(d)).mask() == 0
}

/// Bytes that must not follow a backslash.
#[inline(always)]
fn unknown_escapes(block: &[Bytes16; 4]) -> u64 {
    mask(block, |bytes| {
        let low = bytes.and(Bytes16::splat(0x0f)).look_up(ESCAPES_LOW);
        low.and(bytes.high_nibbles().look_up(ESCAPES_HIGH)).equals(Bytes16::splat(0))
    })
}

/// Each bit becomes the parity of the bits up to it.
#[inline(always)]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// A newline ends its line, so what follows one inside of a string is outside again.
#[inline(always)]
fn end_at_newlines(mut in_string: u64, newlines: u64) -> u64 {
    let mut torn = in_string & newlines;
    while torn != 0 {
        let after = (torn ^ (torn - 1)) ^ u64::MAX;
        in_string ^= after;
        torn = in_string & newlines & after;
    }
    in_string
}

#[inline(always)]
fn push_places(mut places: u64, at: usize, marks: &mut Marks) {
    let count = places.count_ones() as usize;
    for slot in &mut marks.places[marks.place_count..][..count] {
        *slot = (at + places.trailing_zeros() as usize) as u32;
        places &= places - 1;
    }
    marks.place_count += count;
}
