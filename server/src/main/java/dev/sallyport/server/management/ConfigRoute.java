package dev.sallyport.server.management;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.EffectiveConfig;
import java.nio.charset.StandardCharsets;

/** {@code GET /v1/config}. */
final class ConfigRoute implements Route {

    private final EgressProxy proxy;

    ConfigRoute(EgressProxy proxy) {
        this.proxy = proxy;
    }

    @Override
    public String method() {
        return "GET";
    }

    @Override
    public String path() {
        return "/v1/config";
    }

    @Override
    public ApiResponse answer(ApiRequest request) {
        return ApiResponse.json(200, EffectiveConfig.json(proxy.config()).getBytes(StandardCharsets.UTF_8));
    }
}
