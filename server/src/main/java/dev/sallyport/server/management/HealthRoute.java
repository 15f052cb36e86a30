package dev.sallyport.server.management;

import java.util.function.BooleanSupplier;

/** {@code GET /healthz} and {@code GET /readyz}: open to everybody. */
final class HealthRoute implements Route {

    private final String path;
    private final BooleanSupplier well;

    private HealthRoute(String path, BooleanSupplier well) {
        this.path = path;
        this.well = well;
    }

    /** The process lives. */
    static HealthRoute alive() {
        return new HealthRoute("/healthz", () -> true);
    }

    /** The proxy serves. */
    static HealthRoute ready(BooleanSupplier ready) {
        return new HealthRoute("/readyz", ready);
    }

    @Override
    public String method() {
        return "GET";
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public ApiResponse answer(ApiRequest request) {
        return well.getAsBoolean() ? ApiResponse.text(200, "OK") : ApiResponse.text(503, "not ready");
    }
}
