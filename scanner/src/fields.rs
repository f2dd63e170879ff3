//! Which fields of a record a store asks for: a graph of nodes, one for each value that can be met on the way. It
//! is data that the host writes before a scan. The kernel knows no field by name.

use crate::simd::Bytes16;
use crate::values::{is_any, is_backslash, is_same, own_mask};

pub const MAX_NODES: usize = 64;
pub const MAX_KEYS: usize = 128;
pub const NO_NODE: u16 = u16::MAX;
const NAME_BYTES: usize = 4096;
/// The names of all keys. Sixteen bytes can be read from each of them on.
pub type Names = [u8; NAME_BYTES + Bytes16::LENGTH];

/// What is kept of a value that is not an object or an array. `true`, `false` and `null` are always kept.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Leaf {
    /// Only its type.
    Nothing = 0,
    /// The text or the number itself. For names of kinds and the like: few different ones are met in one log.
    Word = 1,
    /// A hash of the text, and its place.
    Id = 2,
    /// Milliseconds since 1970.
    Time = 3,
    /// Whether the text is empty or blank.
    Text = 4,
    /// That it is a whole number of up to 15 digits.
    Count = 5,
    /// The value has to be read by the host, and so does the record.
    Whole = 6,
    /// A whole number of up to 15 digits, itself.
    Number = 7,
}

#[derive(Clone, Copy)]
pub struct Node {
    pub leaf: Leaf,
    /// Leaves no trace unless something below it is kept.
    pub is_pruned: bool,
    /// The named fields, if the value is an object.
    pub first_key: u16,
    pub key_count: u16,
    /// All other fields.
    pub others: u16,
    /// The elements, if it is an array.
    pub elements: u16,
}

#[derive(Clone, Copy)]
pub struct Key {
    /// The name in `names`, with its quotes and a colon.
    name: u16,
    length: u16,
    pub node: u16,
}

/// One bit for each key of a node, by the length and the first letter of its name.
type Buckets = [u32; BUCKETS];
const BUCKETS: usize = 32;

pub struct Fields {
    /// One bit for each node of which nothing is kept but its named fields.
    plain: u64,
    nodes: [Node; MAX_NODES],
    buckets: [Buckets; MAX_NODES],
    keys: [Key; MAX_KEYS],
}

const HEAD_WORDS: usize = 2;
const NODE_WORDS: usize = 6;
const KEY_WORDS: usize = 3;

impl Fields {
    /// `words` are the number of nodes and of keys, the nodes, the keys. The first node is the record itself.
    pub fn read(&mut self, words: &[u16], names: &Names) {
        let (nodes, keys) = words[HEAD_WORDS..].split_at(words[0] as usize * NODE_WORDS);
        let (nodes, _) = nodes.as_chunks::<NODE_WORDS>();
        for (node, &[leaf, is_pruned, first_key, key_count, others, elements]) in self.nodes.iter_mut().zip(nodes) {
            let leaf = match leaf {
                1 => Leaf::Word,
                2 => Leaf::Id,
                3 => Leaf::Time,
                4 => Leaf::Text,
                5 => Leaf::Count,
                6 => Leaf::Whole,
                7 => Leaf::Number,
                _ => Leaf::Nothing,
            };
            *node = Node { leaf, is_pruned: is_pruned != 0, first_key, key_count, others, elements };
        }
        let (keys, _) = keys.as_chunks::<KEY_WORDS>();
        for (key, &[name, length, node]) in self.keys.iter_mut().zip(&keys[..words[1] as usize]) {
            *key = Key { name, length, node };
        }
        self.plain = 0;
        for (number, node) in self.nodes.iter().enumerate() {
            self.plain |= u64::from(node.others == NO_NODE) << number;
        }
        for (node, buckets) in self.nodes.iter().zip(&mut self.buckets).take(words[0] as usize) {
            *buckets = [0; BUCKETS];
            for (number, key) in self.keys[node.first_key as usize..][..node.key_count as usize].iter().enumerate() {
                buckets[bucket_of(key.length as usize - 1, key.name(names)[1])] |= 1 << number;
            }
        }
    }

    #[inline(always)]
    pub fn node(&self, node: u16) -> &Node {
        &self.nodes[node as usize % MAX_NODES]
    }

    #[inline(always)]
    pub fn is_plain(&self, node: u16) -> bool {
        node != NO_NODE && self.plain >> (node as usize % MAX_NODES) & 1 == 1
    }

    /// The number of the key among those of its node, and the key.
    #[inline(always)]
    pub fn find(&self, node: u16, name: &Name, names: &Names) -> Option<(u16, &Key)> {
        let mut possible = self.buckets[node as usize % MAX_NODES][bucket_of(name.bytes.len(), name.letter)];
        while possible != 0 {
            let number = possible.trailing_zeros() as u16;
            let key = &self.keys[(self.node(node).first_key + number) as usize % MAX_KEYS];
            if key.length as usize == name.bytes.len() + 1 && name.is_same(key.name(names)) {
                return Some((number, key));
            }
            possible &= possible - 1;
        }
        None
    }
}

/// By the length of a name with its quotes, and its first letter.
#[inline(always)]
fn bucket_of(length: usize, letter: u8) -> usize {
    (length + 5 * letter as usize) % BUCKETS
}

impl Key {
    /// With its quotes and a colon.
    #[inline(always)]
    pub fn name<'a>(&self, names: &'a Names) -> &'a [u8] {
        &names[self.name as usize..self.name as usize + self.length as usize]
    }
}

/// A name in the input, with its quotes.
pub struct Name<'a> {
    bytes: &'a [u8],
    start: usize,
    letter: u8,
    first: Bytes16,
    /// One bit for each of the first bytes that belongs to the name.
    own: u32,
}

impl<'a> Name<'a> {
    /// # Safety
    /// It is inside of the bytes, and sixteen can be read from each of them on.
    #[inline(always)]
    pub unsafe fn new(bytes: &'a [u8], start: usize, end: usize) -> Self {
        debug_assert!(start < end && end <= bytes.len());
        // SAFETY: see above.
        let (name, first, letter) = unsafe {
            let first = bytes.as_ptr().add(start);
            (bytes.get_unchecked(start..end), Bytes16::load(first), *first.add(1))
        };
        Self { bytes: name, start, letter, first, own: own_mask(name.len()) }
    }

    pub fn place(&self) -> (usize, usize) {
        (self.start, self.start + self.bytes.len())
    }

    /// `name` is that of a key, and has a colon more.
    #[inline(always)]
    fn is_same(&self, name: &[u8]) -> bool {
        // SAFETY: sixteen bytes can be read there, too.
        let first = unsafe { Bytes16::load(name.as_ptr()) };
        let is_start_same = self.first.equals(first).mask() & self.own == self.own;
        is_start_same && (self.bytes.len() <= Bytes16::LENGTH || self.is_rest_same(name))
    }

    #[inline(never)]
    fn is_rest_same(&self, name: &[u8]) -> bool {
        // SAFETY: and from the other ones.
        unsafe { is_same(&self.bytes[Bytes16::LENGTH..], &raw const name[Bytes16::LENGTH]) }
    }

    #[inline(always)]
    pub fn has_backslash(&self) -> bool {
        is_backslash(self.first).mask() & self.own != 0
            // SAFETY: sixteen bytes can be read there, too.
            || (self.bytes.len() > Bytes16::LENGTH && unsafe { is_any(&self.bytes[Bytes16::LENGTH..], is_backslash) })
    }
}
