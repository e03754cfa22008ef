//! What is the same for reading and writing: families of nodes, marks, keys, and when two nodes say the same.

pub mod anchors;
pub mod digest;
pub mod emoji;
pub mod family;
pub mod keys;
pub mod make;
pub mod marks;
pub mod refers;
pub mod walk;
pub mod words;
