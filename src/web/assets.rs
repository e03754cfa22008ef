//! Style sheets and the script of a site.

use openapi::error::ApiError;
use poem::{
    Request, Response,
    http::{HeaderValue, StatusCode, header},
};
use web::style::{self, Asset, Color, Palette, SCRIPT, STYLE};

use super::{answer, fonts, not_found, site::Site};

use crate::{app::App, areas::publishing::published_content};

use openapi::models::{CustomizationCorners, CustomizationThemedColor, SiteCustomizationSettings};

/// Browsers keep files whose names change with their bytes.
const FOR_GOOD: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

pub async fn answer(app: &App, request: &Request, site: &Site, file: &str) -> Result<Response, ApiError> {
    for asset in [&*STYLE, &*SCRIPT] {
        if asset.name == file {
            return Ok(shared(asset));
        }
    }
    let Some(item) = file.strip_prefix("theme-").and_then(|name| name.strip_suffix(".css")) else {
        return Ok(not_found::bare());
    };
    let (item, digest) = item.split_once('-').unwrap_or((item, ""));
    let profile = published_content::profile(&app.publishing, &site.access()).await?;
    let customizations = &profile.customizations;
    let settings = customizations.site_spaces.get(item).unwrap_or(&customizations.site);
    let style = theme(site, settings);
    let is_current = style::digest(&style) == digest;
    let mut response = answer::text(request, StatusCode::OK, "text/css; charset=utf-8", style);
    if is_current {
        response.headers_mut().insert(header::CACHE_CONTROL, FOR_GOOD);
    }
    Ok(response)
}

fn shared(asset: &'static Asset) -> Response {
    Response::builder()
        .header(header::CACHE_CONTROL, FOR_GOOD)
        .content_type(asset.content_type)
        .body(asset.bytes)
}

/// The name of the style sheet of a site space.
pub fn theme_name(site: &Site, item: &str, settings: &SiteCustomizationSettings) -> String {
    format!("theme-{item}-{}.css", style::digest(&theme(site, settings)))
}

fn theme(site: &Site, settings: &SiteCustomizationSettings) -> String {
    let styling = &settings.styling;
    let colors = |colors: &CustomizationThemedColor| {
        let color = |text: &str| Color::parse(text).unwrap_or(Color([0x80; 3]));
        (color(&colors.light), color(&colors.dark))
    };
    let palette = Palette {
        primary: colors(&styling.primary_color),
        info: colors(&styling.info_color),
        success: colors(&styling.success_color),
        warning: colors(&styling.warning_color),
        danger: colors(&styling.danger_color),
        corner: match styling.corners {
            CustomizationCorners::Straight => 0,
            CustomizationCorners::Rounded => 8,
            CustomizationCorners::Circular => 16,
        },
        font: fonts::text(site, styling),
        heading: fonts::heading(site, styling),
        mono: fonts::mono(site, styling),
    };
    palette.style()
}
