//! The references and the plain text of a document, piece by piece: the references of a long text take many times its bytes.

use super::{
    error::DocumentError,
    limits::DocumentLimits,
    links::{DocumentLink, LinkFinder},
    resolver::LinkResolver,
    sections::{SectionCollector, TextSection},
    stream::DocumentStream,
};

/// A text of which the references and the plain text are being read.
pub struct Extraction<'t> {
    document: DocumentStream<'t>,
    links: LinkFinder,
    sections: SectionCollector,
}

impl<'t> Extraction<'t> {
    pub fn new(
        markdown: &'t str,
        limits: &DocumentLimits,
        resolver: &'t dyn LinkResolver,
    ) -> Result<Self, DocumentError> {
        Ok(Self {
            document: DocumentStream::new(markdown, limits, resolver)?,
            links: LinkFinder::default(),
            sections: SectionCollector::default(),
        })
    }

    /// Reads the next piece, and gives its references to `sink`. Returns whether there are more pieces.
    pub fn next_piece(&mut self, sink: &mut dyn FnMut(DocumentLink)) -> Result<bool, DocumentError> {
        let (links, sections) = (&mut self.links, &mut self.sections);
        self.document.next_piece(&mut |block| {
            links.add(&block, sink);
            sections.add(&block);
        })
    }

    /// Returns the plain text of the pieces that were read.
    pub fn finish(self) -> Vec<TextSection> {
        self.sections.finish()
    }
}

/// Gives the references of a text to `sink`, and returns its plain text.
pub fn extract(
    markdown: &str,
    limits: &DocumentLimits,
    resolver: &dyn LinkResolver,
    sink: &mut dyn FnMut(DocumentLink),
) -> Result<Vec<TextSection>, DocumentError> {
    let mut extraction = Extraction::new(markdown, limits, resolver)?;
    while extraction.next_piece(sink)? {}
    Ok(extraction.finish())
}
