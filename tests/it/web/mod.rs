//! Sites as the server shows them.

mod agents;
mod blocks;
mod events;
mod export;
mod fonts;
mod forms;
mod hostile_texts;
mod hosts;
mod lists;
mod operations;
mod pages;
mod pictures;
mod search;
mod visitors;
