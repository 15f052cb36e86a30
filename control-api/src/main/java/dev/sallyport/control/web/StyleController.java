package dev.sallyport.control.web;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** The style sheet of all pages. */
@Controller
@Produces(MediaType.ALL)
final class StyleController {

    private final byte[] sheet;

    StyleController() {
        try (InputStream in = Objects.requireNonNull(StyleController.class.getResourceAsStream("style.css"))) {
            sheet = in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Get("/style.css")
    HttpResponse<?> style() {
        return HttpResponse.ok(sheet)
                .contentType(MediaType.of("text/css; charset=utf-8"))
                .header("Cache-Control", "max-age=3600");
    }
}
