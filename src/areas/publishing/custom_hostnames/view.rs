//! Custom hostnames on the wire.

use entity::publishing::sites::custom_hostnames::{self, Model};
use openapi::models::{self, CustomHostname, CustomHostnameUrls, HostnameOwner, OrganizationPointer, SitePointer};

use super::store::is_active;

use crate::kernel::{
    urls::Urls,
    wire::{ToWire, wire_enums},
};

wire_enums! {
    custom_hostnames::CustomHostnameStatus = models::CustomHostnameStatus {
        DnsPassed, DnsWrongCname, DnsNoCname, DnsCloudflareProxied, DnsWrongCaa, Live, SslUnknown, SslPending, SslFailed,
        SslRetryExpired, InvalidDomain, InternalError
    }
}

pub fn custom_hostname(urls: &Urls, row: Model) -> CustomHostname {
    let target = match row.site_id {
        Some(site) => HostnameOwner::SitePointer(SitePointer {
            r#type: Default::default(),
            site: site.to_string(),
        }),
        None => HostnameOwner::OrganizationPointer(OrganizationPointer {
            r#type: Default::default(),
            organization: row.organization_id.to_string(),
        }),
    };
    CustomHostname {
        object: Default::default(),
        target,
        is_active: is_active(&row),
        status: Some(row.status.to_wire()),
        urls: CustomHostnameUrls {
            location: urls.custom_hostname(&row.hostname),
        },
        hostname: row.hostname,
    }
}
