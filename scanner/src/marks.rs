//! The first stage: from bytes to the places that matter. Works on blocks of 64 bytes and on masks with one bit
//! for each byte, without a branch for each byte.
//!
//! A place is an operator outside of strings, a newline, or a byte that must not be where it is in a string. The
//! first byte of a string, number or literal is one only if it does not follow an operator: the second stage reads
//! what follows an operator, and finds the end of a string before its next place.
use crate::simd::Bytes16;
use crate::utf8::Utf8;
use crate::values::hex_at;
use core::hint::black_box;

pub const BLOCK: usize = 64;
/// Places that are written at once.
const AT_ONCE: usize = 8;
const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// Operators by the lower half of the byte. The entry of a half without one is a byte with another lower half, so
/// that nothing is equal to it.
const OPERATORS: [u8; 16] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, b':', b'{', b',', b'}', 0, 0];
/// What mostly follows a backslash, in the same way. Beside these it can be a quote, `b` or `u`.
const ESCAPES: [u8; 16] = [1, 0, b'r', 0, b't', 0, b'f', 0, 0, 0, 0, 0, b'\\', 0, b'n', b'/'];

/// Bytes to compare with. Loaded once: as constants, they would be made for every block.
struct Patterns {
    quote: Bytes16,
    backslash: Bytes16,
    newline: Bytes16,
    space: Bytes16,
    last_control: Bytes16,
    low_half: Bytes16,
    operators: Bytes16,
    escapes: Bytes16,
}

impl Patterns {
    fn load() -> Self {
        let of = |byte: u8| Bytes16::from(black_box([byte; 16]));
        Self {
            quote: of(b'"'),
            backslash: of(b'\\'),
            newline: of(b'\n'),
            space: of(b' '),
            last_control: of(0x1f),
            low_half: of(0x0f),
            operators: Bytes16::from(black_box(OPERATORS)),
            escapes: Bytes16::from(black_box(ESCAPES)),
        }
    }
}

pub struct Marker<'a> {
    bytes: &'a [u8],
    patterns: Patterns,
    utf8: Utf8,
    /// All ones inside of a string.
    in_string: u64,
    /// 1 if the first byte of the next block follows a backslash that escapes it.
    is_escaped: u64,
    /// 1 if the last byte was part of a number or a literal.
    in_scalar: u64,
    /// 1 if the last byte was an operator.
    in_operator: u64,
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
        let (patterns, utf8) = (Patterns::load(), Utf8::new());
        Self {
            bytes,
            patterns,
            utf8,
            in_string: 0,
            is_escaped: 0,
            in_scalar: 0,
            in_operator: 0,
            second_half: usize::MAX,
        }
    }

    pub fn mark(mut self, start: usize, marks: &mut Marks) {
        let end = self.bytes.len();
        let mut last = [b' '; BLOCK];
        let mut at = start;
        while at < end {
            let mut from = &raw const self.bytes[at];
            if end - at < BLOCK {
                last[..end - at].copy_from_slice(&self.bytes[at..]);
                from = last.as_ptr();
            }
            // SAFETY: this is a whole block.
            let block = unsafe { load(from) };
            self.mark_block(&block, at, marks);
            at += BLOCK;
        }
    }

    #[inline(always)]
    fn mark_block(&mut self, block: &[Bytes16; 4], at: usize, marks: &mut Marks) {
        // As a signed number, a byte outside of ASCII is below a space too.
        let least = block[0].least_signed(block[1]).least_signed(block[2].least_signed(block[3]));
        let is_printable = least.below_signed(self.patterns.space).mask() == 0;
        let (mut is_noted, controls) = match is_printable {
            true => (self.utf8.is_unfinished(), 0),
            false => (self.utf8.is_broken(block), mask(block, |bytes| bytes.is_at_most(self.patterns.last_control))),
        };
        let all_quotes = mask(block, |bytes| bytes.equals(self.patterns.quote));
        let backslashes = mask(block, |bytes| bytes.equals(self.patterns.backslash));
        let escaped = self.escaped(backslashes);
        let quotes = all_quotes & !escaped;
        // Most blocks are text in the middle of a string.
        let mut places = 0;
        let mut inside = escaped;
        if self.in_string == 0 || quotes | controls != 0 {
            (places, inside) = self.places_in(block, quotes, controls);
        }
        places |= self.wrong_escapes(block, escaped & inside, all_quotes, at, &mut is_noted);
        push_places(places, at, marks);
        if is_noted {
            marks.notes[marks.note_count] = at as u32;
            marks.note_count += 1;
        }
    }

    /// The places beside wrong escapes, and what is inside of strings.
    #[inline(always)]
    fn places_in(&mut self, block: &[Bytes16; 4], quotes: u64, controls: u64) -> (u64, u64) {
        // With this bit set, [ and ] are equal to { and }. So are two control characters to , and : but the second
        // stage reads the byte itself.
        let Patterns { space, low_half, operators, .. } = self.patterns;
        let operators = mask(block, |bytes| bytes.and(low_half).look_up(operators).equals(bytes.or(space)));
        let mut spaces = mask(block, |bytes| bytes.equals(space));

        // From each opening quote up to the byte before the closing one.
        let mut in_string = prefix_xor(quotes) ^ self.in_string;
        self.in_string = ((in_string as i64) >> 63) as u64;
        let mut newlines = 0;
        if controls != 0 {
            newlines = mask(block, |bytes| bytes.equals(self.patterns.newline));
            in_string = end_at_newlines(in_string, newlines);
            self.in_string = if newlines >> 63 == 1 { 0 } else { ((in_string as i64) >> 63) as u64 };
            spaces |= newlines
                | mask(block, |bytes| bytes.equals(Bytes16::splat(b'\t')).or(bytes.equals(Bytes16::splat(b'\r'))));
        }

        let outside = !(in_string | quotes);
        let scalars = outside & !(spaces | operators);
        let operators = outside & operators;
        let starts = (scalars & !(scalars << 1 | self.in_scalar)) | (quotes & in_string);
        let apart = starts & !(operators << 1 | self.in_operator);
        self.in_scalar = scalars >> 63;
        self.in_operator = operators >> 63;
        (operators | apart | newlines | (controls & in_string), in_string)
    }

    /// The bytes that follow a backslash which is not itself escaped.
    #[inline(always)]
    fn escaped(&mut self, backslashes: u64) -> u64 {
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
    fn wrong_escapes(
        &mut self,
        block: &[Bytes16; 4],
        escaped: u64,
        quotes: u64,
        at: usize,
        is_noted: &mut bool,
    ) -> u64 {
        let Patterns { low_half, escapes, .. } = self.patterns;
        let usual = quotes | mask(block, |bytes| bytes.and(low_half).look_up(escapes).equals(bytes));
        let unusual = escaped & !usual;
        if unusual == 0 {
            return 0;
        }
        // By value: the state of the marker stays in registers.
        let found = check_escapes(self.bytes, unusual, at, self.second_half);
        self.second_half = found.second_half;
        *is_noted |= found.has_half;
        found.wrong
    }
}

struct Escapes {
    wrong: u64,
    has_half: bool,
    second_half: usize,
}

#[inline(never)]
fn check_escapes(bytes: &[u8], mut escaped: u64, at: usize, mut second_half: usize) -> Escapes {
    let (mut wrong, mut has_half) = (0, false);
    while escaped != 0 {
        let place = at + escaped.trailing_zeros() as usize;
        let is_u = bytes.get(place) == Some(&b'u');
        match hex_at(bytes, place + 1) {
            Some(0xd800..=0xdbff) if is_u && is_second_half(bytes, place + 5) => second_half = place + 6,
            Some(0xd800..=0xdbff) if is_u => has_half = true,
            Some(0xdc00..=0xdfff) if is_u => has_half |= second_half != place,
            Some(_) if is_u => {}
            _ if bytes.get(place) == Some(&b'b') => {}
            _ => wrong |= escaped & escaped.wrapping_neg(),
        }
        escaped &= escaped - 1;
    }
    Escapes { wrong, has_half, second_half }
}

fn is_second_half(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..at + 2) == Some(b"\\u") && matches!(hex_at(bytes, at + 2), Some(0xdc00..=0xdfff))
}

/// # Safety
/// A whole block can be read at `at`.
#[inline(always)]
unsafe fn load(at: *const u8) -> [Bytes16; 4] {
    unsafe { [Bytes16::load(at), Bytes16::load(at.add(16)), Bytes16::load(at.add(32)), Bytes16::load(at.add(48))] }
}

#[inline(always)]
fn mask(block: &[Bytes16; 4], test: impl Fn(Bytes16) -> Bytes16) -> u64 {
    let [a, b, c, d] = block.map(|bytes| test(bytes).mask());
    u64::from(a | b << 16) | u64::from(c | d << 16) << 32
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

/// Writes more than there are, as the number can hardly be predicted.
#[inline(always)]
fn push_places(mut places: u64, at: usize, marks: &mut Marks) {
    if places == 0 {
        return;
    }
    let count = places.count_ones() as usize;
    assert!(marks.place_count + BLOCK <= marks.places.len());
    let mut written = 0;
    while written < count {
        for slot in 0..AT_ONCE {
            // SAFETY: there is room for a whole block.
            unsafe {
                *marks.places.get_unchecked_mut(marks.place_count + written + slot) =
                    at as u32 + places.trailing_zeros()
            };
            places &= places.wrapping_sub(1);
        }
        written += AT_ONCE;
    }
    marks.place_count += count;
}
