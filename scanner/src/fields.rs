//! Which fields of a record a store asks for: a graph of nodes, one for each value that can be met on the way. It
//! is data that the host writes before a scan. The kernel knows no field by name.

use crate::values::is_same;

pub const MAX_NODES: usize = 64;
pub const MAX_KEYS: usize = 128;
pub const NO_NODE: u16 = u16::MAX;

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
    nodes: [Node; MAX_NODES],
    buckets: [Buckets; MAX_NODES],
    keys: [Key; MAX_KEYS],
}

const HEAD_WORDS: usize = 2;
const NODE_WORDS: usize = 6;
const KEY_WORDS: usize = 3;

impl Fields {
    /// `words` are the number of nodes and of keys, the nodes, the keys. The first node is the record itself.
    pub fn read(&mut self, words: &[u16], names: &[u8]) {
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
                _ => Leaf::Nothing,
            };
            *node = Node { leaf, is_pruned: is_pruned != 0, first_key, key_count, others, elements };
        }
        let (keys, _) = keys.as_chunks::<KEY_WORDS>();
        for (key, &[name, length, node]) in self.keys.iter_mut().zip(&keys[..words[1] as usize]) {
            *key = Key { name, length, node };
        }
        for (node, buckets) in self.nodes.iter().zip(&mut self.buckets).take(words[0] as usize) {
            *buckets = [0; BUCKETS];
            for (number, key) in self.keys[node.first_key as usize..][..node.key_count as usize].iter().enumerate() {
                buckets[bucket_of(key.name(names))] |= 1 << number;
            }
        }
    }

    #[inline(always)]
    pub fn node(&self, node: u16) -> &Node {
        &self.nodes[node as usize % MAX_NODES]
    }

    /// The number of the key among those of its node, and the key. `name` has its quotes.
    #[inline(always)]
    pub fn find(&self, node: u16, name: &[u8], names: &[u8]) -> Option<(u16, &Key)> {
        let mut possible = self.buckets[node as usize % MAX_NODES][bucket_of(name)];
        while possible != 0 {
            let number = possible.trailing_zeros() as u16;
            let key = self.keys.get((self.node(node).first_key + number) as usize)?;
            if key.length as usize == name.len() + 1 && is_same(name, &key.name(names)[..name.len()]) {
                return Some((number, key));
            }
            possible &= possible - 1;
        }
        None
    }
}

/// With or without the colon after the name.
#[inline(always)]
fn bucket_of(name: &[u8]) -> usize {
    let length = name.len() - (name[name.len() - 1] == b':') as usize;
    (length + 5 * name[1] as usize) % BUCKETS
}

impl Key {
    #[inline(always)]
    pub fn name<'a>(&self, names: &'a [u8]) -> &'a [u8] {
        &names[self.name as usize..self.name as usize + self.length as usize]
    }
}
