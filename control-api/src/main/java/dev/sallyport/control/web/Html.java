package dev.sallyport.control.web;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import java.nio.charset.StandardCharsets;

/** Pages: static frames around text that is always escaped. */
final class Html {

    private static final String POLICY =
            "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

    private Html() {}

    /** A text as it may stand between tags and in quoted attributes. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.append(c);
            }
        }
        return escaped.toString();
    }

    /**
     * A page.
     *
     * @param title escaped here
     * @param content HTML, with all texts in it escaped
     */
    static MutableHttpResponse<byte[]> page(int status, String title, String content) {
        String page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" + escape(title)
                + " - Sallyport</title><link rel=\"stylesheet\" href=\"/style.css\"></head><body><main><h1>"
                + escape(title) + "</h1>\n" + content + "\n</main></body></html>\n";
        MutableHttpResponse<byte[]> response = HttpResponse.status(status, null);
        return response.body(page.getBytes(StandardCharsets.UTF_8))
                .contentType(MediaType.of("text/html; charset=utf-8"))
                .header("Content-Security-Policy", POLICY)
                .header("X-Frame-Options", "DENY")
                .header("Referrer-Policy", "same-origin") // with no-referrer, browsers post forms with "Origin: null"
                .header("Cache-Control", "no-store");
    }
}
