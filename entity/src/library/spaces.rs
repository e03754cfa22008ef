//! Spaces: what a node has only as a space.

use sea_orm::entity::prelude::*;

use crate::ids::{NodeId, RevisionId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "spaces")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: NodeId,
    /// None shows the default one.
    #[sea_orm(column_type = "String(StringLen::N(50))", nullable)]
    pub emoji: Option<String>,
    /// The address of an image.
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub icon: Option<String>,
    /// The audience while no published site shows the space.
    pub visibility: ContentVisibility,
    pub edit_mode: SpaceEditMode,
    pub language: Option<Language>,
    #[sea_orm(column_type = "Json")]
    pub merge_rules: Json,
    /// The content that readers see.
    pub revision_id: RevisionId,
    /// All change requests there ever were: also the number of the last one.
    #[sea_orm(default_value = 0)]
    pub change_requests: i32,
    #[sea_orm(default_value = 0)]
    pub change_requests_open: i32,
    #[sea_orm(default_value = 0)]
    pub change_requests_draft: i32,
    /// Changes with the files of the Git repository that the space was last imported from or exported to.
    #[sea_orm(column_type = "Binary(32)", nullable)]
    pub git_tag: Option<Vec<u8>>,
    #[sea_orm(belongs_to, from = "id", to = "id", on_delete = "Cascade")]
    pub node: BelongsTo<crate::library::nodes::Entity>,
}

crate::stored_row! {
    id,
    emoji,
    icon,
    visibility,
    edit_mode,
    language,
    merge_rules,
    revision_id,
    change_requests,
    change_requests_open,
    change_requests_draft,
    git_tag,
}

impl ActiveModelBehavior for ActiveModel {}

/// The audience of the published content of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum ContentVisibility {
    #[sea_orm(string_value = "public")]
    Public,
    #[sea_orm(string_value = "unlisted")]
    Unlisted,
    #[sea_orm(string_value = "share-link")]
    ShareLink,
    #[sea_orm(string_value = "visitor-auth")]
    VisitorAuth,
    #[sea_orm(string_value = "in-collection")]
    InCollection,
    #[sea_orm(string_value = "private")]
    Private,
}

/// The edit mode: direct edits, or change requests only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(8))")]
pub enum SpaceEditMode {
    #[sea_orm(string_value = "live")]
    Live,
    #[sea_orm(string_value = "locked")]
    Locked,
}

/// The language that content is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(8))")]
pub enum Language {
    #[sea_orm(string_value = "en")]
    En,
    #[sea_orm(string_value = "fr")]
    Fr,
    #[sea_orm(string_value = "de")]
    De,
    #[sea_orm(string_value = "es")]
    Es,
    #[sea_orm(string_value = "it")]
    It,
    #[sea_orm(string_value = "pt")]
    Pt,
    #[sea_orm(string_value = "pt-br")]
    PtBr,
    #[sea_orm(string_value = "ru")]
    Ru,
    #[sea_orm(string_value = "ja")]
    Ja,
    #[sea_orm(string_value = "zh")]
    Zh,
    #[sea_orm(string_value = "zh-tw")]
    ZhTw,
    #[sea_orm(string_value = "yue")]
    Yue,
    #[sea_orm(string_value = "ko")]
    Ko,
    #[sea_orm(string_value = "ar")]
    Ar,
    #[sea_orm(string_value = "hi")]
    Hi,
    #[sea_orm(string_value = "nl")]
    Nl,
    #[sea_orm(string_value = "pl")]
    Pl,
    #[sea_orm(string_value = "tr")]
    Tr,
    #[sea_orm(string_value = "sv")]
    Sv,
    #[sea_orm(string_value = "no")]
    No,
    #[sea_orm(string_value = "da")]
    Da,
    #[sea_orm(string_value = "fi")]
    Fi,
    #[sea_orm(string_value = "el")]
    El,
    #[sea_orm(string_value = "cs")]
    Cs,
    #[sea_orm(string_value = "hu")]
    Hu,
    #[sea_orm(string_value = "ro")]
    Ro,
    #[sea_orm(string_value = "th")]
    Th,
    #[sea_orm(string_value = "vi")]
    Vi,
    #[sea_orm(string_value = "id")]
    Id,
    #[sea_orm(string_value = "ms")]
    Ms,
    #[sea_orm(string_value = "he")]
    He,
    #[sea_orm(string_value = "uk")]
    Uk,
    #[sea_orm(string_value = "sk")]
    Sk,
    #[sea_orm(string_value = "bg")]
    Bg,
    #[sea_orm(string_value = "hr")]
    Hr,
    #[sea_orm(string_value = "lt")]
    Lt,
    #[sea_orm(string_value = "lv")]
    Lv,
    #[sea_orm(string_value = "et")]
    Et,
    #[sea_orm(string_value = "sl")]
    Sl,
}
