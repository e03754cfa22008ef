//! Against what people expect, and against what holds for all content.

mod cases;
mod cost;
mod lines;
mod properties;
mod random;
mod resolving;
mod support;
