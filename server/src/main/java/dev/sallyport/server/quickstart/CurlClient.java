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

/** The {@code curl} of this machine, and the command lines for people to paste. */
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
    String line(Visit visit) {
        StringBuilder line = new StringBuilder("curl");
        for (String word : words(visit)) {
            line.append(' ').append(quoted(word));
        }
        return line.toString();
    }

    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    private List<String> words(Visit visit) {
        List<String> words = new ArrayList<>(List.of("-x", proxy));
        if (visit.url().getScheme().equals("https")) {
            words.addAll(List.of("--cacert", caCertificate.toString()));
        }
        visit.headers().forEach((name, value) -> words.addAll(List.of("-H", name + ": " + value)));
        words.add(visit.url().toString());
        return words;
    }

    @Override
    public Answer send(Visit visit) throws Failure, InterruptedException {
        // -q: not the settings of whoever runs this; the last line tells how it went.
        List<String> command = new ArrayList<>(List.of("curl", "-q", "-sS", "--noproxy", ""));
        command.addAll(List.of("--max-time", Integer.toString(PATIENCE_SECONDS)));
        command.addAll(List.of("-w", "\n%{http_code} %{http_connect}"));
        command.addAll(words(visit));
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

    private static Answer answer(String output) {
        Matcher last = CODES.matcher(output);
        if (!last.matches()) {
            return new Answer(0, output);
        }
        int response = Integer.parseInt(last.group(2));
        return new Answer(response == 0 ? Integer.parseInt(last.group(3)) : response, last.group(1));
    }
}
