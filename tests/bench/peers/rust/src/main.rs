//! An MCP server with one tool that does nothing: `peer PORT`. Prints its URL once it listens.

use std::sync::Arc;

use axum::{
    Router,
    extract::Request,
    http::{StatusCode, header::AUTHORIZATION},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde_json::{Value, json};

struct Peer;

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let input = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let output = json!({
            "type": "object",
            "properties": { "ok": { "type": "boolean" } },
            "required": ["ok"],
            "additionalProperties": false,
        });
        let tool = Tool::new("noop", "Does nothing.", object(input))
            .with_raw_output_schema(object(output));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != "noop" {
            return Err(ErrorData::invalid_params("unknown tool", None));
        }
        Ok(CallToolResult::structured(json!({ "ok": true })).into())
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

async fn require_token(request: Request, next: Next) -> Response {
    match request.headers().get(AUTHORIZATION) {
        Some(value) if value == "Bearer bench-token" => next.run(request).await,
        _ => StatusCode::UNAUTHORIZED.into_response(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = std::env::args().nth(1).ok_or("usage: peer PORT")?.parse()?;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let service = StreamableHttpService::new(
        || Ok(Peer),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let app = Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn(require_token));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("ready at http://{}", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}
