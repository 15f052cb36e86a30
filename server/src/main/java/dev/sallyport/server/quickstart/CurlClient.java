package dev.sallyport.server.quickstart;

import dev.sallyport.server.Failure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@code curl} of this machine, and command lines for people to paste. */
final class CurlClient implements Client {

    private static final Pattern CODES = Pattern.compile("(.*)\n(\\d+) (\\d+)", Pattern.DOTALL);
    private static final int PATIENCE_SECONDS = 10;

    private final String proxy;
    private final Path caCertificate;

    CurlClient(InetSocketAddress proxy, Path caCertificate) {
        this.proxy = "http://" + proxy.getAddress().getHostAddress() + ":" + proxy.getPort();
        this.caCertificate = caCertificate;
    }

    static boolean isInstalled() throws InterruptedException {
        try {
            Process process = new ProcessBuilder("curl", "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String name() {
        return "curl";
    }

    /** A line to paste into a POSIX shell. */
    String line(SampleRequest sample) {
        StringBuilder line = new StringBuilder("curl");
        for (String word : words(sample)) {
            line.append(' ').append(quoted(word));
        }
        return line.toString();
    }

    /** A word as a POSIX shell reads it. */
    static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private List<String> words(SampleRequest sample) {
        List<String> words = new ArrayList<>(List.of("-x", proxy));
        if (sample.url().getScheme().equals("https")) {
            words.addAll(List.of("--cacert", caCertificate.toString()));
        }
        sample.headers().forEach((name, value) -> words.addAll(List.of("-H", name + ": " + value)));
        words.add(sample.url().toString());
        return words;
    }

    @Override
    public SampleResponse send(SampleRequest sample) throws Failure, InterruptedException {
        // -q ignores the user's own settings; the last line of the output states the result.
        List<String> command = new ArrayList<>(List.of("curl", "-q", "-sS", "--noproxy", ""));
        command.addAll(List.of("--max-time", Integer.toString(PATIENCE_SECONDS)));
        command.addAll(List.of("-w", "\n%{http_code} %{http_connect}"));
        command.addAll(words(sample));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return answer(output);
        } catch (IOException e) {
            throw new Failure("curl cannot be run: " + e.getMessage());
        }
    }

    private static SampleResponse answer(String output) {
        Matcher last = CODES.matcher(output);
        if (!last.matches()) {
            return new SampleResponse(0, output);
        }
        int response = Integer.parseInt(last.group(2));
        return new SampleResponse(response == 0 ? Integer.parseInt(last.group(3)) : response, last.group(1));
    }
}
