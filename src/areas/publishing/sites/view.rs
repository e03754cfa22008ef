//! Sites on the wire.

use entity::{
    organizations::members::MemberRole,
    publishing::sites::{self, Model},
};
use openapi::{
    enums::Enumeration,
    models::{
        self, ContentRefSpace, DefaultLevel, Site, SiteAdaptiveContent, SiteAds, SiteAgentsContext,
        SiteCustomizationFeature, SiteFeature, SiteFeatureKey, SitePermissions, SiteProxy, SiteUrls,
    },
};
use platform::db::count;

use crate::kernel::{
    urls::Urls,
    wire::{ToWire, time, wire_enums},
};

wire_enums! {
    sites::SiteType = models::SiteType { Basic, Premium, Ultimate, Sponsored, LegacyBasic, LegacyPremium }
    sites::SiteVisibility = models::SiteVisibility { Public, Unlisted, ShareLink, VisitorAuth }
}

/// A site as a member with this level on it sees it. `None`: a visitor.
pub fn site(urls: &Urls, row: &Model, level: Option<MemberRole>) -> Site {
    // Visitors are shown what leads somewhere.
    let proxy = match level {
        Some(_) => &row.proxy,
        None => &row.active_proxy,
    };
    Site {
        object: Default::default(),
        id: row.id.to_string(),
        r#type: row.plan.to_wire(),
        applied_type: row.plan.to_wire(),
        title: row.title.clone(),
        icon: row.favicon.clone().and_then(|icon| serde_json::from_value(icon).ok()),
        hostname: row.hostname.clone(),
        basename: Some(row.basename.clone()),
        proxy: proxy.clone().map(|origin| SiteProxy {
            origin,
            target: urls.sites().of(&row.basename),
        }),
        visibility: row.visibility.to_wire(),
        default_level: match level {
            Some(_) => row.default_level.map(ToWire::to_wire),
            None => Some(DefaultLevel::Inherit),
        }
        .into(),
        styleguide: row
            .styleguide
            .clone()
            .filter(|_| level.is_some())
            .map(|space| ContentRefSpace {
                kind: Default::default(),
                space,
            }),
        permissions: permissions(level),
        published: row.published,
        site_spaces: count(row.site_spaces_count),
        created_at: time(row.created_at),
        adaptive_content: Some(SiteAdaptiveContent {
            enabled: row.adaptive_content,
        }),
        ads: Some(SiteAds {
            status: Default::default(),
            topic: Default::default(),
            zone_id: String::new(),
        }),
        agents_context: match row.in_agents_context {
            true => SiteAgentsContext::Included,
            false => SiteAgentsContext::Excluded,
        },
        features: features(row),
        urls: SiteUrls {
            location: urls.site(row.organization_id, row.id),
            app: urls.site_page(row.organization_id, row.id),
            published: row.published.then(|| urls.site_for_readers(row)),
            preview: urls.site_preview(row.id),
        },
    }
}

/// From the levels that guard the operations.
fn permissions(level: Option<MemberRole>) -> SitePermissions {
    let at_least = |wanted: MemberRole| level >= Some(wanted);
    SitePermissions {
        view: true,
        access: at_least(MemberRole::Read),
        edit: at_least(MemberRole::Create),
        create: at_least(MemberRole::Create),
        admin: at_least(MemberRole::Admin),
        install_integration: at_least(MemberRole::Admin),
        view_adaptive_schema: at_least(MemberRole::Read),
        edit_adaptive_schema: at_least(MemberRole::Create),
    }
}

/// A self-hosted server has every feature in every plan.
fn features(row: &Model) -> Vec<SiteFeature> {
    let feature = |id: &SiteFeatureKey| SiteFeature {
        id: *id,
        plan: row.plan.to_wire(),
        frozen: false,
        customizations: match id {
            SiteFeatureKey::SitesAdvancedCustomization => Some(SiteCustomizationFeature::ALL.to_vec()),
            _ => None,
        },
    };
    SiteFeatureKey::ALL.iter().map(feature).collect()
}
