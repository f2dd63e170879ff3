//! Shapes: what is kept of a record beside its ids and times. The records of a log have few different ones, so
//! each gets a number, and the host interprets each shape once.
//!
//! A shape is JSON text with the fields that were asked for, in which a byte stands for each id and each time.

use crate::simd::Bytes16;
use crate::values::is_same;

pub const MAX_SHAPES: usize = 4096;
/// A longer one is left to the host.
pub const MAX_SHAPE_BYTES: usize = 4096;
const TABLE: usize = MAX_SHAPES * 2;
const ARENA: usize = 1024 * 1024;

pub struct Shapes {
    pub count: usize,
    /// Where each shape ends in `arena`.
    pub ends: [u32; MAX_SHAPES],
    /// Sixteen bytes can be read from each byte of a shape.
    pub arena: [u8; ARENA + Bytes16::LENGTH],
    /// A number counted from 1, or 0 for none.
    table: [u16; TABLE],
}

impl Shapes {
    pub fn clear(&mut self) {
        self.count = 0;
        self.table.fill(0);
    }

    /// The number of this shape, or none if there is no room for another. Sixteen bytes can be read from each of
    /// its own.
    #[inline(never)]
    pub fn number(&mut self, shape: &[u8]) -> Option<u32> {
        let mut slot = hash(shape) as usize % TABLE;
        while self.table[slot] > 0 && !self.is_shape(self.table[slot] as usize - 1, shape) {
            slot = (slot + 1) % TABLE;
        }
        if self.table[slot] == 0 {
            self.add(slot, shape)?;
        }
        Some(u32::from(self.table[slot]) - 1)
    }

    #[inline(never)]
    fn add(&mut self, slot: usize, shape: &[u8]) -> Option<()> {
        let start = self.start(self.count);
        if self.count == MAX_SHAPES || start + shape.len() > ARENA {
            return None;
        }
        self.arena[start..start + shape.len()].copy_from_slice(shape);
        self.ends[self.count] = (start + shape.len()) as u32;
        self.count += 1;
        self.table[slot] = self.count as u16;
        Some(())
    }

    #[inline(always)]
    fn start(&self, number: usize) -> usize {
        if number == 0 { 0 } else { self.ends[number - 1] as usize }
    }

    #[inline(always)]
    fn is_shape(&self, number: usize, shape: &[u8]) -> bool {
        let (start, end) = (self.start(number), self.ends[number] as usize);
        // SAFETY: both have sixteen bytes more.
        end - start == shape.len() && unsafe { is_same(shape, &raw const self.arena[start]) }
    }
}

/// Equal hashes are compared, so it need not be a good one. Two sums, so that they are made at the same time.
fn hash(bytes: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let [mut one, mut other] = [bytes.len() as u64, 0];
    let mut add = |pair: &[u8; 16]| {
        let pair = u128::from_le_bytes(*pair);
        one = (one ^ pair as u64).wrapping_mul(FACTOR).rotate_left(32);
        other = (other ^ (pair >> 64) as u64).wrapping_mul(FACTOR).rotate_left(32);
    };
    let (pairs, rest) = bytes.as_chunks::<16>();
    pairs.iter().for_each(&mut add);
    let mut last = [0; 16];
    match bytes.last_chunk() {
        Some(end) => last = *end,
        None => last[..rest.len()].copy_from_slice(rest),
    }
    add(&last);
    (one ^ other.rotate_left(17)) as u32
}
