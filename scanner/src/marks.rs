//! The first stage: from bytes to the places that matter. Works on blocks of 64 bytes and on masks with one bit
//! for each byte, without a branch for each byte.
//!
//! A place is an operator outside of strings, a newline, or a byte that must not be where it is in a string. The
//! first byte of a string, number or literal is one only if it does not follow an operator: the second stage reads
//! what follows an operator, and finds the end of a string before its next place.
use crate::escapes::{check_escapes, is_clear_escape};
use crate::simd::Bytes16;
use crate::utf8::Utf8;
use core::hint::black_box;

pub const BLOCK: usize = 64;
/// Blocks that are read before any of them is looked at again: as many as there are bits in a mask.
const GROUP: usize = 64;
/// Places that are written at once.
const AT_ONCE: usize = 8;
const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// Operators by the lower half of the byte. The entry of a half without one is a byte with another lower half, so
/// that nothing is equal to it.
const OPERATORS: [u8; 16] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, b':', b'{', b',', b'}', 0, 0];
/// What mostly follows a backslash, in the same way. Beside these it can be a quote, `b` or `u`.
const ESCAPES: [u8; 16] = [1, 0, b'r', 0, b't', 0, b'f', 0, 0, 0, 0, 0, b'\\', 0, b'n', b'/'];

/// A pattern to compare with. Loaded once: as a constant, it would be made for every block.
#[inline(always)]
pub fn pattern(bytes: [u8; 16]) -> Bytes16 {
    Bytes16::from(black_box(bytes))
}

/// What was found in the blocks of a group. Each mask has one bit for each byte of a block.
struct Group {
    /// Quotes that are not escaped.
    quotes: [u64; GROUP],
    /// Control characters, of the blocks that have some.
    controls: [u64; GROUP],
    /// Escaped bytes that are not among the usual ones.
    unusual: [u64; GROUP],
    /// Sixteen bits for each block: which of its bytes, in any of the four parts, are unprintable.
    unprintable: [u16; GROUP],
}

/// The blocks of a group that have something: one bit for each.
#[derive(Clone, Copy)]
struct Blocks {
    quotes: u64,
    controls: u64,
    unusual: u64,
    /// Control characters, or bytes outside of ASCII.
    unprintable: u64,
}

#[derive(Clone, Copy)]
pub struct Marker<'a> {
    bytes: &'a [u8],
    start: usize,
    /// All ones inside of a string.
    in_string: u64,
    /// 1 if the first byte of the next block follows a backslash that escapes it.
    is_escaped: u64,
    /// 1 if the last byte was part of a number or a literal.
    in_scalar: u64,
    /// 1 if the last byte was an operator.
    in_operator: u64,
    /// 1 if the last block may have the start of a character that is not finished.
    was_unprintable: u64,
    /// Where the second half of a surrogate pair is expected.
    second_half: usize,
}

/// Where the marks go. `places` has room for a block or more, `notes` for each block.
pub struct Marks<'a> {
    pub places: &'a mut [u32],
    pub place_count: usize,
    /// Blocks with invalid UTF-8 or half of a surrogate pair.
    pub notes: &'a mut [u32],
    pub note_count: usize,
    /// Whether there was no room for all places. Then nothing of them can be used.
    pub is_full: bool,
}

impl<'a> Marker<'a> {
    /// Marks the bytes from `start` on. The last one is a newline.
    ///
    /// # Safety
    /// A block can be read from each of the bytes on. Spaces follow the last one.
    pub unsafe fn mark(bytes: &'a [u8], start: usize, marks: &mut Marks) {
        let mut marker = Self {
            bytes,
            start,
            in_string: 0,
            is_escaped: 0,
            in_scalar: 0,
            in_operator: 0,
            was_unprintable: 0,
            second_half: usize::MAX,
        };
        let mut group =
            Group { quotes: [0; GROUP], controls: [0; GROUP], unusual: [0; GROUP], unprintable: [0; GROUP] };
        let mut at = start;
        while at < bytes.len() {
            let count = (bytes.len() - at).div_ceil(BLOCK).min(GROUP);
            // SAFETY: these blocks start in the bytes.
            unsafe { marker.mark_group(at, count, &mut group, marks) };
            at += GROUP * BLOCK;
        }
    }

    /// Several passes, so that none of them has a branch that cannot be predicted: each but the first one goes
    /// only over the blocks that matter to it.
    ///
    /// # Safety
    /// So many blocks can be read.
    #[inline(always)]
    unsafe fn mark_group(&mut self, at: usize, count: usize, group: &mut Group, marks: &mut Marks) {
        // SAFETY: these are the same blocks.
        unsafe {
            let mut blocks = self.find(at, count, group);
            let mut noted = 0;
            if blocks.unprintable | self.was_unprintable != 0 {
                noted = self.check_unprintable(at, count, group, &mut blocks);
            }
            blocks.unusual = self.check_unusual(at, blocks.unusual, group);
            noted |= self.push_group(at, count, group, blocks, marks);
            while noted != 0 {
                marks.notes[marks.note_count] = (at + noted.trailing_zeros() as usize * BLOCK) as u32;
                marks.note_count += 1;
                noted &= noted - 1;
            }
        }
    }

    /// The first pass: without any branch.
    #[inline(always)]
    unsafe fn find(&mut self, at: usize, count: usize, group: &mut Group) -> Blocks {
        // In registers.
        let mut own = *self;
        let (quote, backslash, space) = (pattern([b'"'; 16]), pattern([b'\\'; 16]), pattern([b' '; 16]));
        let (low_half, escapes) = (pattern([0x0f; 16]), pattern(ESCAPES));
        let mut found = Blocks { quotes: 0, controls: 0, unusual: 0, unprintable: 0 };
        for number in 0..count {
            // SAFETY: the caller says that there are so many blocks.
            let block = unsafe { own.block(at, number) };
            // As a signed number, a byte outside of ASCII is below a space too.
            let least = block[0].least_signed(block[1]).least_signed(block[2].least_signed(block[3]));
            let all_quotes = mask(&block, |bytes| bytes.equals(quote));
            let escaped = own.escaped(mask(&block, |bytes| bytes.equals(backslash)));
            let usual = all_quotes | mask(&block, |bytes| bytes.and(low_half).look_up(escapes).equals(bytes));
            let (quotes, unusual) = (all_quotes & !escaped, escaped & !usual);
            group.quotes[number] = quotes;
            group.unusual[number] = unusual;
            group.unprintable[number] = least.below_signed(space).mask() as u16;
        }
        self.is_escaped = own.is_escaped;
        found.quotes = with_any(&group.quotes) & first_bits(count);
        found.unusual = with_any(&group.unusual) & first_bits(count);
        found.unprintable = with_any_short(&group.unprintable) & first_bits(count);
        found
    }

    /// The blocks in which an error of UTF-8 shows. Finds the control characters, too.
    #[inline(never)]
    unsafe fn check_unprintable(&mut self, at: usize, count: usize, group: &mut Group, blocks: &mut Blocks) -> u64 {
        let (last_control, utf8) = (pattern([0x1f; 16]), Utf8::load());
        let mut noted = 0;
        // A block also has to finish the last character of the block before.
        let mut next = (blocks.unprintable << 1 | self.was_unprintable | blocks.unprintable) & first_bits(count);
        self.was_unprintable = blocks.unprintable >> 63;
        while next != 0 {
            let number = next.trailing_zeros() as usize;
            // SAFETY: this is one of the blocks, and if it is not the first of all, another one is before it.
            let (block, before) = unsafe {
                let place = at + number * BLOCK;
                let is_first = place == self.start;
                let before = self.bytes.as_ptr().add(place).wrapping_sub(if is_first { 0 } else { Bytes16::LENGTH });
                (self.block(at, number), if is_first { Bytes16::splat(0) } else { Bytes16::load(before) })
            };
            let is_ascii = block[0].or(block[1]).or(block[2].or(block[3])).mask() == 0;
            let is_broken = if is_ascii { utf8.is_unfinished(before) } else { utf8.has_errors(&block, before) };
            let controls = mask(&block, |bytes| bytes.is_at_most(last_control));
            noted |= u64::from(is_broken) << number;
            group.controls[number] = controls;
            blocks.controls |= u64::from(controls != 0) << number;
            next &= next - 1;
        }
        noted
    }

    /// Leaves of the unusual escapes those that can be wrong, or half of a surrogate pair.
    #[inline(always)]
    unsafe fn check_unusual(&self, at: usize, blocks: u64, group: &mut Group) -> u64 {
        let (mut next, mut left) = (blocks, 0);
        while next != 0 {
            let number = next.trailing_zeros() as usize;
            let (mut escaped, mut kept) = (group.unusual[number], 0);
            while escaped != 0 {
                let place = at + number * BLOCK + escaped.trailing_zeros() as usize;
                // SAFETY: an escaped byte is one of the bytes, and a block can be read from there on.
                let is_clear = unsafe { is_clear_escape(self.bytes.as_ptr().add(place)) };
                kept |= if is_clear { 0 } else { escaped & escaped.wrapping_neg() };
                escaped &= escaped - 1;
            }
            group.unusual[number] = kept;
            left |= u64::from(kept != 0) << number;
            next &= next - 1;
        }
        left
    }

    /// The last pass: only over blocks that can have places. Gives those with half of a surrogate pair.
    #[inline(never)]
    unsafe fn push_group(&mut self, at: usize, count: usize, group: &Group, blocks: Blocks, marks: &mut Marks) -> u64 {
        let (space, low_half, operators) = (pattern([b' '; 16]), pattern([0x0f; 16]), pattern(OPERATORS));
        let all = first_bits(count);
        // In registers.
        let (mut own, mut place_count) = (*self, marks.place_count);
        let mut noted = 0;
        // Most blocks are text in the middle of a string. Outside of strings, every one matters.
        let mut next = (blocks.quotes | blocks.controls | blocks.unusual | (!self.in_string & 1)) & all;
        while next != 0 {
            let number = next.trailing_zeros() as usize;
            // SAFETY: this is one of the blocks.
            let block = unsafe { own.block(at, number) };
            let place = at + number * BLOCK;
            // With this bit set, [ and ] are equal to { and }. So are two control characters to , and : but the
            // second stage reads the byte itself.
            let operators = mask(&block, |bytes| bytes.and(low_half).look_up(operators).equals(bytes.or(space)));
            let spaces = mask(&block, |bytes| bytes.equals(space));
            let controls = if blocks.controls >> number & 1 == 1 { group.controls[number] } else { 0 };
            let (mut places, inside) = own.places_in(&block, group.quotes[number], operators, spaces, controls);
            if blocks.unusual >> number & 1 == 1 {
                // By value: the state of the marker stays in registers.
                let found = check_escapes(own.bytes, group.unusual[number] & inside, place, own.second_half);
                own.second_half = found.second_half;
                noted |= u64::from(found.has_half) << number;
                places |= found.wrong;
            }
            if place_count + BLOCK > marks.places.len() {
                (marks.is_full, place_count) = (true, 0);
            }
            // SAFETY: there is room for a whole block.
            place_count += unsafe { push_places(places, place, marks.places.as_mut_ptr().add(place_count)) };
            let after = (next & next.wrapping_neg()) << 1;
            next = (next & (next - 1)) | (after & !own.in_string & all);
        }
        (*self, marks.place_count) = (own, place_count);
        noted
    }

    /// The places beside wrong escapes, and what is inside of strings.
    #[inline(always)]
    fn places_in(
        &mut self,
        block: &[Bytes16; 4],
        quotes: u64,
        operators: u64,
        mut spaces: u64,
        controls: u64,
    ) -> (u64, u64) {
        // From each opening quote up to the byte before the closing one.
        let mut in_string = prefix_xor(quotes) ^ self.in_string;
        self.in_string = ((in_string as i64) >> 63) as u64;
        let mut newlines = 0;
        if controls != 0 {
            newlines = mask(block, |bytes| bytes.equals(Bytes16::splat(b'\n')));
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

    /// # Safety
    /// A whole block can be read there.
    #[inline(always)]
    unsafe fn block(&self, at: usize, number: usize) -> [Bytes16; 4] {
        unsafe {
            let from = self.bytes.as_ptr().add(at + number * BLOCK);
            [Bytes16::load(from), Bytes16::load(from.add(16)), Bytes16::load(from.add(32)), Bytes16::load(from.add(48))]
        }
    }
}

#[inline(always)]
fn first_bits(count: usize) -> u64 {
    u64::MAX >> (GROUP - count)
}

/// One bit for each of the masks that is not empty.
#[inline(never)]
fn with_any(masks: &[u64; GROUP]) -> u64 {
    let mut empty = 0;
    for (number, masks) in masks.as_chunks::<16>().0.iter().enumerate() {
        empty |= u64::from(Bytes16::empty_among(masks)) << (16 * number);
    }
    !empty
}

#[inline(never)]
fn with_any_short(masks: &[u16; GROUP]) -> u64 {
    let mut empty = 0;
    for (number, masks) in masks.as_chunks::<16>().0.iter().enumerate() {
        empty |= u64::from(Bytes16::empty_among_short(masks)) << (16 * number);
    }
    !empty
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

/// Writes more than there are, as the number can hardly be predicted. Gives the number.
///
/// # Safety
/// There is room for a whole block.
#[inline(always)]
unsafe fn push_places(mut places: u64, at: usize, mut to: *mut u32) -> usize {
    let count = places.count_ones() as usize;
    let mut left = count;
    loop {
        for slot in 0..AT_ONCE {
            // SAFETY: see above.
            unsafe { *to.add(slot) = at as u32 + places.trailing_zeros() };
            places &= places.wrapping_sub(1);
        }
        if left <= AT_ONCE {
            return count;
        }
        left -= AT_ONCE;
        // SAFETY: see above.
        to = unsafe { to.add(AT_ONCE) };
    }
}
