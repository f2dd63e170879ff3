//! Scans the lines of a JSON log. For each line: where it is, whether it is exactly one JSON object by RFC 8259,
//! and what the store asks for of its fields. Nothing is allocated and nothing is imported.
//!
//! Only a line that gets a shape is proved to be valid. Every other one is read by the host: lines that are
//! broken, and the few that the kernel leaves to it (invalid UTF-8, half of a surrogate pair, escapes in names and
//! ids, a repeated field, unusual times, very deep nesting).
#![no_std]

mod fields;
mod marks;
mod record;
pub mod shapes;
#[cfg_attr(target_arch = "wasm32", path = "simd_wasm.rs")]
#[cfg_attr(target_arch = "x86_64", path = "simd_x86.rs")]
mod simd;
mod utf8;
mod values;
#[cfg(target_arch = "wasm32")]
mod wasm;

use fields::Fields;
use marks::{BLOCK, Marker, Marks};
use record::{Kept, MAX_SLOTS, Record, Refusal, Slot};
use shapes::Shapes;

/// What the host may hold of an unfinished line, and what it reads at once.
pub const HELD_BYTES: usize = 8 * 1024 * 1024;
pub const CHUNK_BYTES: usize = 256 * 1024;
pub const INPUT_BYTES: usize = HELD_BYTES + CHUNK_BYTES;
/// One more for the newline of a last line without one.
const ROOM: usize = INPUT_BYTES + 1;
pub const MAX_ROWS: usize = 8192;
pub const MAX_ALL_SLOTS: usize = 32 * 1024;
pub const PROGRAM_WORDS: usize = 1024;
pub const NAME_BYTES: usize = 4096;

pub const UNCLEAR: u32 = u32::MAX;
pub const NOT_AN_OBJECT: u32 = u32::MAX - 1;

/// One line: its first and last place in the input, its shape or why it has none, and its first slot.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Row {
    pub start: u32,
    pub end: u32,
    pub shape: u32,
    pub slot: u32,
}

pub struct Scanner {
    pub input: [u8; ROOM],
    pub program: [u16; PROGRAM_WORDS],
    pub names: [u8; NAME_BYTES],
    pub seeds: [u32; 2],
    pub rows: [Row; MAX_ROWS],
    pub slots: [Slot; MAX_ALL_SLOTS],
    pub shapes: Shapes,
    fields: Fields,
    kept: Kept,
    places: [u32; ROOM + BLOCK],
    notes: [u32; ROOM / BLOCK + 1],
    place_count: usize,
    note_count: usize,
    next_place: usize,
    next_note: usize,
    line: usize,
    end: usize,
}

impl Scanner {
    /// Takes the program, and forgets all shapes.
    pub fn configure(&mut self) {
        self.fields.read(&self.program, &self.names);
        self.shapes.clear();
    }

    /// Begins to scan whole lines of the input. The last one may be without a newline.
    pub fn begin(&mut self, start: usize, end: usize) {
        self.end = end;
        if start < end && self.input[end - 1] != b'\n' {
            self.input[end] = b'\n';
            self.end += 1;
        }
        let mut marks = Marks { places: &mut self.places, place_count: 0, notes: &mut self.notes, note_count: 0 };
        Marker::new(&self.input[..self.end]).mark(start, &mut marks);
        (self.place_count, self.note_count) = (marks.place_count, marks.note_count);
        (self.next_place, self.next_note, self.line) = (0, 0, start);
    }

    /// Fills `rows` and `slots` for the next lines, and gives the number of rows: 0 at the end.
    pub fn advance(&mut self) -> usize {
        let bytes = &self.input[..self.end];
        let places = &self.places[..self.place_count];
        let (mut rows, mut slots) = (0, 0);
        while self.next_place < places.len() && rows < MAX_ROWS && slots + MAX_SLOTS <= MAX_ALL_SLOTS {
            let mut record = Record {
                bytes,
                places,
                next: self.next_place,
                fields: &self.fields,
                names: &self.names,
                seeds: self.seeds,
                kept: &mut self.kept,
            };
            let result = record.read();
            let mut next = record.next.max(self.next_place + 1);
            while bytes[places[next - 1] as usize] != b'\n' {
                next += 1;
            }
            let end = places[next - 1] as usize;
            let is_noted = is_noted(&self.notes[..self.note_count], &mut self.next_note, self.line, end);
            let shape = match result {
                Err(Refusal::NotAnObject) => NOT_AN_OBJECT,
                Err(Refusal::Unclear) => UNCLEAR,
                Ok(()) if is_noted => UNCLEAR,
                Ok(()) => self.shapes.number(self.kept.shape()).unwrap_or(UNCLEAR),
            };
            self.rows[rows] = Row { start: self.line as u32, end: end as u32, shape, slot: slots as u32 };
            if shape < NOT_AN_OBJECT {
                let own = self.kept.slots();
                self.slots[slots..slots + own.len()].copy_from_slice(own);
                slots += own.len();
            }
            rows += 1;
            self.next_place = next;
            self.line = end + 1;
        }
        rows
    }
}

/// Whether a noted block touches the line from `start` to `end`.
#[inline(always)]
fn is_noted(notes: &[u32], next: &mut usize, start: usize, end: usize) -> bool {
    while *next < notes.len() && notes[*next] as usize + BLOCK <= start {
        *next += 1;
    }
    *next < notes.len() && notes[*next] as usize <= end
}
