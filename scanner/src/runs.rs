//! Runs of fields that are the same in many records, such as the version of the program and the working folder.
//! Their bytes are compared with those that were read before in an object of the same kind: equal bytes mean the
//! same fields, the same places and the same part of the shape, so that they need not be read again.
use crate::kept::{Kept, MAX_DEPTH};
use crate::record::Refusal::{self, NotAnObject, Unclear};
use crate::record::{Input, Token};
use crate::simd::Bytes16;
use crate::values::is_same;

const MAX_RUN: usize = 512;
const MAX_RUN_SHAPE: usize = 256;
const RUNS: usize = 64;
const HASHES: usize = 4096;
/// A shorter run takes about as long to compare as to read.
const MIN_FIELDS: usize = 2;
/// A run that was met so often is replaced by a new one as long when a value in it changes.
const MANY: u32 = 4;
/// Learning a run takes as long as reading it, so it has to be earned.
const FIRST_LESSONS: u32 = 64;
const HITS_OF_LESSON: u32 = 16;
const HEAVY: u32 = 16;

/// Fields of one object that follow each other, each with its comma. They are texts, numbers and literals of which
/// nothing goes into a slot.
struct Run {
    /// Its first bytes: mostly those of its first name.
    key: u64,
    node: u16,
    length: u16,
    shape_length: u16,
    places: u16,
    /// One bit for each named field.
    seen: u32,
    hits: u32,
    /// How often another one has to be met before this one gives up its place.
    weight: u32,
    text: [u8; MAX_RUN + Bytes16::LENGTH],
    shape: [u8; MAX_RUN_SHAPE + Bytes16::LENGTH],
}

/// Its memory starts as zeros, which is no run: a name starts with a quote.
pub struct Runs {
    lessons: u32,
    /// One bit for each hash of the first bytes of what is not a run.
    others: [u64; HASHES / 64],
    runs: [Run; RUNS],
}

impl Runs {
    pub fn clear(&mut self) {
        self.lessons = FIRST_LESSONS;
        self.others.fill(0);
        for run in &mut self.runs {
            run.key = 0;
        }
    }
}

#[inline(always)]
fn hash_of(key: u64, node: u16) -> usize {
    ((key ^ u64::from(node)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % HASHES
}

impl Input<'_> {
    /// Takes a known run that starts with the name at `at`, in the object of this frame. Gives its length, or 0.
    /// The node is a plain one: where other fields are kept, the last name is remembered.
    #[inline(always)]
    pub fn take_run(
        &self,
        next: &mut usize,
        kept: &mut Kept,
        frame: usize,
        node: u16,
        at: usize,
    ) -> Result<usize, Refusal> {
        let key = self.key(at);
        let hash = hash_of(key, node);
        if kept.runs.others[hash / 64] >> (hash % 64) & 1 == 1 {
            return Ok(0);
        }
        let run = &mut kept.runs.runs[hash % RUNS];
        if run.key != key || run.node != node {
            self.learn_run(*next, kept, frame, node, at);
            return Ok(0);
        }
        let length = run.length as usize;
        // SAFETY: sixteen bytes can be read from each byte on, in both. A run has no newline, so that it differs from
        // the bytes before they end.
        if !unsafe { is_same(run.text.get_unchecked(..length), self.bytes.as_ptr().add(at)) } {
            self.change_run(*next, kept, frame, node, at);
            return Ok(0);
        }
        let frame = &mut kept.frames[frame % MAX_DEPTH];
        if frame.seen & run.seen != 0 {
            return Ok(0);
        }
        frame.seen |= run.seen;
        (run.hits, run.weight) = (run.hits + 1, HEAVY);
        *next += run.places as usize;
        if run.shape_length > 0 {
            // SAFETY: a run is not changed by what is kept, and its shape has sixteen bytes more.
            let shape = unsafe { core::slice::from_raw_parts(run.shape.as_ptr(), run.shape_length as usize) };
            kept.separate();
            kept.keep_long(shape)?;
        }
        Ok(length)
    }

    /// Another run has the place of this one, or none.
    #[inline(never)]
    fn learn_run(&self, next: usize, kept: &mut Kept, frame: usize, node: u16, at: usize) {
        let run = self.run_at(kept, node, at);
        if run.weight > 0 {
            // It goes if it is not met any more.
            run.weight -= 1;
        } else if kept.runs.lessons > 0 {
            self.learn(next, kept, frame, node, at, MAX_RUN);
        }
    }

    /// A value is not the same as before. Where that happens often, the run ends before it.
    #[inline(never)]
    fn change_run(&self, next: usize, kept: &mut Kept, frame: usize, node: u16, at: usize) {
        let run = self.run_at(kept, node, at);
        let same = run.text.iter().zip(&self.bytes[at..]).take_while(|(one, other)| one == other).count();
        let limit = if run.hits >= MANY { MAX_RUN } else { same.min(run.length as usize) };
        let earned = core::mem::take(&mut run.hits) / HITS_OF_LESSON;
        kept.runs.lessons = kept.runs.lessons.saturating_add(earned);
        self.learn(next, kept, frame, node, at, limit);
    }

    #[inline(always)]
    fn key(&self, at: usize) -> u64 {
        // SAFETY: sixteen bytes can be read from each byte on.
        u64::from_le_bytes(unsafe { self.bytes.as_ptr().add(at).cast::<[u8; 8]>().read_unaligned() })
    }

    fn run_at<'a>(&self, kept: &'a mut Kept, node: u16, at: usize) -> &'a mut Run {
        &mut kept.runs.runs[hash_of(self.key(at), node) % RUNS]
    }

    /// Reads the fields that start here once more, and remembers them up to `limit` bytes.
    fn learn(&self, next: usize, kept: &mut Kept, frame: usize, node: u16, start: usize, limit: usize) {
        let is_new = limit < MAX_RUN || self.run_at(kept, node, start).key != self.key(start);
        kept.runs.lessons = kept.runs.lessons.saturating_sub(1);
        let (shape_start, seen, slots) = (kept.length, kept.frame(frame).seen, kept.slot_count);
        let (mut at, mut place) = (start, next);
        let (mut length, mut places, mut fields) = (0, 0, 0);
        let (mut shape_end, mut seen_after) = (shape_start, seen);
        while let Ok(comma) = self.read_field(&mut place, kept, frame, node, at) {
            let is_short = comma + 1 - start <= limit && kept.length - shape_start <= MAX_RUN_SHAPE;
            if kept.slot_count != slots || !is_short {
                break;
            }
            (length, places, fields) = (comma + 1 - start, place - next, fields + 1);
            (shape_end, seen_after) = (kept.length, kept.frame(frame).seen);
            match self.after_operator(&mut place, comma) {
                Ok((name, b'"')) => at = name,
                _ => break,
            }
        }
        if fields < MIN_FIELDS {
            let hash = hash_of(self.key(start), node);
            kept.runs.others[hash / 64] |= u64::from(is_new) << (hash % 64);
        } else {
            let mut shape = [0; MAX_RUN_SHAPE + Bytes16::LENGTH];
            let mut own = &kept.shape()[shape_start..shape_end];
            if let [b',', rest @ ..] = own {
                own = rest;
            }
            shape[..own.len()].copy_from_slice(own);
            let shape_length = own.len() as u16;
            let key = self.key(start);
            let run = self.run_at(kept, node, start);
            (run.key, run.node, run.hits, run.weight) = (key, node, 0, 0);
            (run.length, run.places, run.seen) = (length as u16, places as u16, seen_after & !seen);
            (run.shape, run.shape_length) = (shape, shape_length);
            run.text[..length].copy_from_slice(&self.bytes[start..start + length]);
        }
        kept.length = shape_start;
        kept.slot_count = slots;
        kept.frame(frame).seen = seen;
    }

    /// The comma after the field whose name starts here.
    fn read_field(
        &self,
        next: &mut usize,
        kept: &mut Kept,
        frame: usize,
        of: u16,
        at: usize,
    ) -> Result<usize, Refusal> {
        let (end, colon) = self.end_of_string(next)?;
        if colon.1 != b':' {
            return Err(NotAnObject);
        }
        let node = self.field(kept, frame, of, at, end + 1)?;
        let (at, byte) = self.after_operator(next, colon.0)?;
        let after: Token = match byte {
            b'{' | b'[' => return Err(Unclear),
            b'"' => self.read_string(next, kept, node, at)?,
            _ => self.read_scalar(next, kept, node, at)?,
        };
        if after.1 == b',' { Ok(after.0) } else { Err(NotAnObject) }
    }
}
