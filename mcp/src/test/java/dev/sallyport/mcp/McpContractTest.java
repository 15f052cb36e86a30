package dev.sallyport.mcp;

import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformContract;
import java.util.ArrayList;
import java.util.List;

class McpContractTest extends TransformContract {

    McpContractTest() {
        super(McpFactory.class);
    }

    @Override
    protected List<TestRequest> requests() {
        List<TestRequest> requests = new ArrayList<>(super.requests());
        requests.add(TestRequest.post(
                "https://mcp.example.com/mcp",
                "application/json",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"));
        requests.add(TestRequest.post(
                "https://mcp.example.com/mcp",
                "application/json",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"no\"}},"
                        + "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]"));
        requests.add(TestRequest.get("https://mcp.example.com/mcp"));
        return requests;
    }
}
