package dev.sallyport.server.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sallyport run --inspect}: docs/run.md. */
class RunInspectIT {

    private static final Pattern ADDRESS =
            Pattern.compile("sallyport: inspect: (http://127\\.0\\.0\\.1:\\d+/[0-9a-f]{32})\n");
    private static final String HOSTILE = "/%3Cscript%3Ealert(1)%3C/script%3E'\"&x=<img%20src=x%20onerror=alert(2)>";

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeEach
    void everybody() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    private HttpResponse<String> get(String url) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void the_page_shows_records_to_those_who_know_its_address() throws Exception {
        for (Runs runs : Runs.all(folder)) {
            Path go = folder.resolve("go");
            Files.deleteIfExists(go);
            Path out = Files.createTempFile(folder, "out", ".txt");
            Path err = Files.createTempFile(folder, "err", ".txt");
            Process process = runs.start(
                    Map.of("HOSTILE", "http://refused.run.test" + HOSTILE),
                    List.of("--inspect"),
                    out,
                    err,
                    "sh",
                    "-c",
                    "curl -sS -g --path-as-is \"$HOSTILE\"; while [ ! -s go ]; do sleep 0.05; done;"
                            + " curl -s -o /dev/null -w 'with: %{http_code}\\n' $(cat go);"
                            + " curl -s -o /dev/null -w 'without: %{http_code}\\n' $(dirname $(cat go))/");
            try {
                String page = Awaitility.await().until(() -> address(process, err), address -> !address.isEmpty());

                HttpResponse<String> html = get(page);
                assertThat(html.statusCode()).isEqualTo(200);
                assertThat(html.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
                protectedFromItsContent(html);
                everythingItLoadsIsItsOwn(page, html.body());

                String records = page + "/v1/audit/recent";
                Awaitility.await().until(() -> get(records).body().contains("refused.run.test"));
                assertThat(get(records).headers().firstValue("Content-Type")).contains("application/json");
                assertThat(get(records).headers().firstValue("X-Content-Type-Options"))
                        .contains("nosniff");
                assertThat(get(records).body()).contains("alert(1)", "\"rejected_by\":\"allowlist\"");
                assertThat(followed(records + "?follow=true&limit=10")).startsWith("event: record\ndata: {");

                nobodyElseIsLetIn(page);

                Files.writeString(go, page);
                assertThat(process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                // It was told the address here; in a network of its own that is of no use.
                assertThat(Files.readString(out))
                        .as(runs.toString())
                        .contains(runs.isolation().equals("env") ? "with: 200" : "with: 000")
                        .contains(runs.isolation().equals("env") ? "without: 404" : "without: 000");
            } catch (IOException e) {
                throw new AssertionError("%s: nobody answers; it said:%n%s".formatted(runs, Files.readString(err)), e);
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    private static String address(Process process, Path err) throws IOException {
        boolean lives = process.isAlive();
        String text = Files.readString(err);
        Matcher said = ADDRESS.matcher(text);
        if (said.find()) {
            return said.group(1);
        }
        assertThat(lives).as("it ended and said:%n%s", text).isTrue();
        return "";
    }

    private static void protectedFromItsContent(HttpResponse<String> html) {
        assertThat(html.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'")
                .doesNotContain("unsafe");
        assertThat(html.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(html.headers().firstValue("X-Frame-Options")).contains("DENY");
        assertThat(html.headers().firstValue("Referrer-Policy")).contains("no-referrer");
        assertThat(html.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(html.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    }

    private void everythingItLoadsIsItsOwn(String page, String html) throws Exception {
        String token = URI.create(page).getPath();
        assertThat(html)
                .doesNotContain("://", "onclick", "style=")
                .doesNotContainPattern("<script(?![^>]* src=\"" + token + "/)")
                .doesNotContainPattern("(src|href)=\"(?!" + token + "/)");
        assertThat(get(page + "/page.css").statusCode()).isEqualTo(200);
        assertThat(get(page + "/page.js").body())
                .contains("textContent")
                .doesNotContain("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "://");
    }

    private void nobodyElseIsLetIn(String page) throws Exception {
        String other = page.substring(0, page.length() - 1) + (page.endsWith("0") ? "1" : "0");
        URI address = URI.create(page);
        for (String url : List.of(
                other,
                other + "/v1/audit/recent",
                page + "0",
                address.resolve("/").toString())) {
            assertThat(get(url).statusCode()).as(url).isEqualTo(404);
        }
        // As a site does whose name resolves to loopback.
        Process rebinding = new ProcessBuilder(
                        "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: evil.example:80", page)
                .start();
        assertThat(new String(rebinding.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("404");
        HttpRequest post = HttpRequest.newBuilder(address)
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        assertThat(client.send(post, HttpResponse.BodyHandlers.discarding()).statusCode())
                .isEqualTo(405);
    }

    /** The first two lines that come. */
    private static String followed(String url) throws IOException {
        Process curl = new ProcessBuilder("curl", "-sN", "--max-time", String.valueOf(Patience.SECONDS), url).start();
        try (BufferedReader lines = curl.inputReader(StandardCharsets.UTF_8)) {
            return lines.readLine() + "\n" + lines.readLine();
        } finally {
            curl.destroyForcibly();
        }
    }
}
