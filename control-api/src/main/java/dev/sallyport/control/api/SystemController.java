package dev.sallyport.control.api;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;

/** Health, readiness, and the description of the API. */
@Controller
@Produces(MediaType.ALL)
final class SystemController {

    private final Readiness readiness;
    private final OpenApi openApi;

    SystemController(Readiness readiness, OpenApi openApi) {
        this.readiness = readiness;
        this.openApi = openApi;
    }

    @Get("/healthz")
    HttpResponse<?> health() {
        return HttpResponse.ok("OK").contentType(MediaType.TEXT_PLAIN_TYPE);
    }

    @Get("/readyz")
    @ExecuteOn(ApiThreads.NAME)
    HttpResponse<?> readiness() {
        return readiness.isReady()
                ? HttpResponse.ok("OK").contentType(MediaType.TEXT_PLAIN_TYPE)
                : HttpResponse.status(HttpStatus.SERVICE_UNAVAILABLE)
                        .body("not ready")
                        .contentType(MediaType.TEXT_PLAIN_TYPE);
    }

    @Get("/v1/openapi.json")
    @ExecuteOn(ApiThreads.NAME)
    @Operation(summary = "This document.", tag = "Description", open = true)
    HttpResponse<?> description() {
        return HttpResponse.ok(openApi.json()).contentType(MediaType.APPLICATION_JSON_TYPE);
    }
}
