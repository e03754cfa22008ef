//! Sites as the server shows them.

mod agents;
mod events;
mod hostile_texts;
mod hosts;
mod lists;
mod pages;
mod search;
mod visitors;
