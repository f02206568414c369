// An MCP server with one tool that does nothing: `peer PORT`. Prints its URL once it listens.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func noop(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: `{"ok":true}`}},
		StructuredContent: json.RawMessage(`{"ok":true}`),
	}, nil
}

func verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	if token != "bench-token" {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{}, nil
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: peer PORT")
	}
	// The load generator needs the second core of a small machine: with both, this server is 2.5 times slower.
	runtime.GOMAXPROCS(1)
	server := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "0.0.0"}, nil)
	server.AddTool(&mcp.Tool{
		Name:         "noop",
		Description:  "Does nothing.",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`),
	}, noop)
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true},
	)
	requireToken := auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	http.Handle("/mcp", requireToken(handler))

	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ready at http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
