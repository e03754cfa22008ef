//! From nodes to Markdown.

mod blocks;
mod code;
mod containers;
mod figures;
mod inlines;
mod leaves;
mod lists;
mod operations;
mod out;
mod runs;
mod tables;

use std::collections::VecDeque;

use openapi::models::{ContentRef, Document};

use super::{
    limits::Limits,
    references::{Resolver, Role},
    refusal::Refusal,
};
use blocks::Surroundings;
use leaves::Note;
use out::Out;

pub fn document(document: &Document, limits: &Limits, resolver: &dyn Resolver) -> Result<String, Refusal> {
    if let Some(name) = document.data.additional.keys().next() {
        let message = format!("Markdown has no place for the member `{name}`.");
        return Err(Refusal::new("/data", "document-data", message));
    }
    let mut writer = Writer {
        out: Out::default(),
        limits,
        resolver,
        path: Vec::new(),
        notes: VecDeque::new(),
        numbered: 0,
        written: 0,
        depth: 0,
    };
    writer.blocks("nodes", &document.nodes, Surroundings::DOCUMENT)?;
    writer.footnotes(document.nodes.is_empty())?;
    Ok(writer.out.finish())
}

struct Writer<'d, 'r> {
    out: Out,
    limits: &'r Limits,
    resolver: &'r dyn Resolver,
    /// The way to the node that is being written.
    path: Vec<(&'static str, usize)>,
    /// The footnotes that are not written yet.
    notes: VecDeque<Note<'d>>,
    numbered: usize,
    written: usize,
    depth: usize,
}

impl<'d> Writer<'d, '_> {
    /// Writes a child.
    fn within<T>(
        &mut self,
        member: &'static str,
        index: usize,
        write: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.path.push((member, index));
        let written = write(self);
        self.path.pop();
        written
    }

    /// Writes what lies so many levels deeper.
    fn deeper(&mut self, levels: usize, write: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Result<(), Refusal> {
        if self.depth + levels > self.limits.depth {
            let message = format!("Blocks lie in each other at most {} deep.", self.limits.depth);
            return Err(self.refuse("too-deep", message));
        }
        self.depth += levels;
        let written = write(self);
        self.depth -= levels;
        written
    }

    fn refuse(&self, code: &'static str, message: impl Into<String>) -> Refusal {
        let steps = self.path.iter().map(|(member, index)| format!("/{member}/{index}"));
        Refusal::new(steps.collect::<String>(), code, message)
    }

    /// How a reference is written. It has to lead back.
    fn target(&self, role: Role, reference: &ContentRef) -> Result<String, Refusal> {
        let target = self.resolver.target(role, reference);
        match target.filter(|target| self.resolver.reference(role, target) == *reference) {
            Some(target) => Ok(target),
            None => Err(self.refuse(
                "unresolved-reference",
                "Nothing in Markdown leads to what this refers to.",
            )),
        }
    }

    /// The explanations of annotations, some of which may have annotations again.
    fn footnotes(&mut self, mut first: bool) -> Result<(), Refusal> {
        while let Some(note) = self.notes.pop_front() {
            self.path = note.pointer;
            self.depth = note.depth;
            self.written += 1;
            if !first {
                self.out.line("");
            }
            first = false;
            self.out.enter(&format!("[^{}]: ", self.written), "    ");
            self.deeper(2, |writer| {
                writer.blocks("nodes", &note.fragment.nodes, Surroundings::INNER)
            })?;
            self.out.leave();
        }
        self.path.clear();
        Ok(())
    }
}
