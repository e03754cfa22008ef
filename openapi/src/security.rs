//! The security scheme, for the derived document; tokens are checked by the guard.

use poem::{Request, RequestBody, Result};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaSecurityScheme, Registry},
};

pub struct Bearer;

impl<'a> ApiExtractor<'a> for Bearer {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        let scheme = MetaSecurityScheme {
            ty: "http",
            description: None,
            name: None,
            key_in: None,
            scheme: Some("bearer"),
            bearer_format: None,
            flows: None,
            openid_connect_url: None,
        };
        registry.create_security_scheme("bearer", scheme);
    }

    fn security_schemes() -> Vec<&'static str> {
        vec!["bearer"]
    }

    async fn from_request(_: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<()>) -> Result<Self> {
        Ok(Self)
    }
}
