package dev.sallyport.server.management;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.server.explain.ExplainEndpoint;

/** {@code POST /v1/explain}. */
final class ExplainRoute implements Route {

    private final ExplainEndpoint endpoint;

    ExplainRoute(EgressProxy proxy) {
        endpoint = new ExplainEndpoint(proxy::explain);
    }

    @Override
    public String method() {
        return "POST";
    }

    @Override
    public String path() {
        return "/v1/explain";
    }

    @Override
    public int maxBodyBytes() {
        return ExplainEndpoint.MOST_BYTES;
    }

    @Override
    public ApiResponse answer(ApiRequest request) throws ApiException {
        try {
            ExplainEndpoint.Answer answer = endpoint.answer(request.body());
            return ApiResponse.json(answer.status(), answer.json());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(503, "shutting_down", "the proxy is shutting down");
        }
    }
}
