//! Sites as the server shows them.

mod hostile_texts;
mod hosts;
mod lists;
mod pages;
mod search;
mod visitors;
