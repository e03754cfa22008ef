//! Blocks with parts of OpenAPI specifications. Without its document, a block is a card.

use openapi::models::{
    BlockOpenApiOperation, BlockOpenApiSchemas, BlockOpenApiWebhook, ContentRef, ContentRefOpenApi, DocumentBlock,
};

use super::Writer;

use crate::specification::Specified;

impl Writer<'_> {
    pub(super) fn operation(&mut self, block: &BlockOpenApiOperation) {
        let data = &block.data;
        let title = format!("{} {}", data.method.to_uppercase(), data.path);
        self.take_part(&data.r#ref, &title, |part| part.operation(&data.path, &data.method));
    }

    pub(super) fn webhook(&mut self, block: &BlockOpenApiWebhook) {
        let data = &block.data;
        let title = format!("{} {}", data.method.to_uppercase(), data.name);
        self.take_part(&data.r#ref, &title, |part| part.webhook(&data.name, &data.method));
    }

    pub(super) fn schemas(&mut self, block: &BlockOpenApiSchemas) {
        let names = &block.data.schemas;
        self.take_part(&block.data.r#ref, &names.join(", "), |part| part.schemas(names));
    }

    fn take_part(
        &mut self,
        reference: &ContentRefOpenApi,
        title: &str,
        write: impl FnOnce(&mut Specified<'_>) -> bool,
    ) {
        let (targets, words) = (self.targets, self.words);
        // A description shows no operations, which could be its own.
        let document = targets.specification(&reference.spec).filter(|_| self.part.is_none());
        if let Some(document) = document {
            let (group, mut count) = (self.next_group(), 0_usize);
            let mut describe = |blocks: &[DocumentBlock]| {
                count += 1;
                let mut writer = Writer::new(targets, words);
                writer.part = Some(format!("{group}-{count}-"));
                writer.nested(blocks);
                writer.html
            };
            let mut part = Specified::new(document, words, &mut describe, std::mem::take(&mut self.room));
            let is_found = write(&mut part);
            let (html, room) = part.finish();
            self.room = room;
            if is_found {
                self.html.append(&html);
                return;
            }
        }
        self.specified(&ContentRef::ContentRefOpenApi(reference.clone()), title);
    }
}
