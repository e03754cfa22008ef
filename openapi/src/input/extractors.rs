//! Arguments of the stubs. Parameters only describe themselves to the derived document; bodies are taken unread.

use std::marker::PhantomData;

use poem::{Body, Request, RequestBody};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaMediaType, MetaParamIn, MetaRequest, MetaSchema, MetaSchemaRef, Registry},
};

use crate::{
    describe::{self, Schema},
    error::ApiError,
};

/// The rules of a parameter beyond its type.
pub trait Rules: Send + Sync {
    fn rules() -> MetaSchema;
}

macro_rules! parameter {
    ($(#[$doc:meta])* $name:ident, $place:expr) => {
        $(#[$doc])*
        pub struct $name<T, R>(PhantomData<(T, R)>);

        impl<'a, T: Schema, R: Rules> ApiExtractor<'a> for $name<T, R> {
            const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
            const PARAM_IS_REQUIRED: bool = T::IS_REQUIRED;
            type ParamType = T;
            type ParamRawType = T;

            fn register(registry: &mut Registry) {
                T::register(registry);
            }

            fn param_in() -> Option<MetaParamIn> {
                Some($place)
            }

            fn param_schema_ref() -> Option<MetaSchemaRef> {
                Some(describe::lay_over(T::schema_ref(), R::rules()))
            }

            async fn from_request(_: &'a Request, _: &mut RequestBody, _: ExtractParamOptions<T>) -> poem::Result<Self> {
                Ok(Self(PhantomData))
            }
        }
    };
}

parameter!(
    /// A parameter of the path.
    PathParameter,
    MetaParamIn::Path
);
parameter!(
    /// A parameter of the query.
    QueryParameter,
    MetaParamIn::Query
);
parameter!(
    /// A parameter of the header.
    HeaderParameter,
    MetaParamIn::Header
);

/// A JSON body that is not read yet: nobody without access makes the server parse anything.
pub struct LateBody<T, const REQUIRED: bool>(Body, PhantomData<T>);

impl<T, const REQUIRED: bool> LateBody<T, REQUIRED> {
    /// The body of a request, taken out of it.
    pub fn taken(mut body: RequestBody) -> Result<Self, ApiError> {
        let taken = body.take().map_err(ApiError::internal)?;
        Ok(Self(taken, PhantomData))
    }

    pub(super) fn into_inner(self) -> Body {
        self.0
    }
}

impl<'a, T: Schema, const REQUIRED: bool> ApiExtractor<'a> for LateBody<T, REQUIRED> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn request_meta() -> Option<MetaRequest> {
        let content = vec![MetaMediaType {
            content_type: "application/json",
            schema: T::schema_ref(),
        }];
        Some(MetaRequest {
            description: None,
            content,
            required: REQUIRED,
        })
    }

    async fn from_request(_: &'a Request, body: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        Ok(Self(body.take()?, PhantomData))
    }
}
