//! Shapes: what is kept of a record beside its ids and times. The records of a log have few different ones, so
//! each gets a number, and the host interprets each shape once.
//!
//! A shape is JSON text with the fields that were asked for, in which a byte stands for each id and each time.

use crate::values::is_same;

pub const MAX_SHAPES: usize = 4096;
/// A longer one is left to the host.
pub const MAX_SHAPE_BYTES: usize = 4096;
const TABLE: usize = MAX_SHAPES * 2;
const RECENT: usize = 256;
const ARENA: usize = 1024 * 1024;

pub struct Shapes {
    pub count: usize,
    /// Where each shape ends in `arena`.
    pub ends: [u32; MAX_SHAPES],
    pub arena: [u8; ARENA],
    /// A number counted from 1, or 0 for none.
    table: [u16; TABLE],
    /// The last one of each length, in the same way.
    recent: [u16; RECENT],
}

impl Shapes {
    pub fn clear(&mut self) {
        self.count = 0;
        self.table.fill(0);
        self.recent.fill(0);
    }

    /// The number of this shape, or none if there is no room for another.
    pub fn number(&mut self, shape: &[u8]) -> Option<u32> {
        let recent = self.recent[shape.len() % RECENT] as usize;
        if recent > 0 && self.is_shape(recent - 1, shape) {
            return Some(recent as u32 - 1);
        }
        let number = self.find(shape)?;
        self.recent[shape.len() % RECENT] = number as u16 + 1;
        Some(number)
    }

    fn find(&mut self, shape: &[u8]) -> Option<u32> {
        let mut slot = hash(shape) as usize % TABLE;
        loop {
            match self.table[slot] {
                0 => return self.add(slot, shape),
                known if self.is_shape(known as usize - 1, shape) => return Some(known as u32 - 1),
                _ => slot = (slot + 1) % TABLE,
            }
        }
    }

    fn add(&mut self, slot: usize, shape: &[u8]) -> Option<u32> {
        let start = self.start(self.count);
        if self.count == MAX_SHAPES || start + shape.len() > ARENA {
            return None;
        }
        self.arena[start..start + shape.len()].copy_from_slice(shape);
        self.ends[self.count] = (start + shape.len()) as u32;
        self.count += 1;
        self.table[slot] = self.count as u16;
        Some(self.count as u32 - 1)
    }

    #[inline(always)]
    fn start(&self, number: usize) -> usize {
        if number == 0 { 0 } else { self.ends[number - 1] as usize }
    }

    #[inline(always)]
    fn is_shape(&self, number: usize, shape: &[u8]) -> bool {
        let known = &self.arena[self.start(number)..self.ends[number] as usize];
        known.len() == shape.len() && is_same(known, shape)
    }
}

/// Equal hashes are compared, so it need not be a good one.
fn hash(bytes: &[u8]) -> u32 {
    let mut sum: u64 = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^= sum >> 29;
    }
    for &byte in rest {
        sum = (sum ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (sum >> 32) as u32
}
