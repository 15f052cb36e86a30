package dev.sallyport.server.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.DryRun;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.explain.ExplanationJson;
import dev.sallyport.server.explain.ExplanationText;
import dev.sallyport.server.explain.RequestFields;
import dev.sallyport.server.plugin.Plugins;
import dev.sallyport.server.terminal.Palette;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sallyport explain -config FILE METHOD URL}: what would become of a request. */
@Command(
        name = "explain",
        description = "Say what would become of a request, transform by transform, without sending anything.",
        footerHeading = "%n",
        footer = {
            "Exit codes: 0 it would be allowed, 1 refused, failed or undecidable, 2 wrong usage.",
            "Nothing is resolved, asked or minted: where that would be needed, the verdict is undecidable.",
            "Files and secrets that cannot be read count as there, and are named."
        })
final class ExplainCommand implements Callable<Integer> {

    private static final String STANDARD_INPUT = "-";

    @Option(
            names = {"-c", "-config", "--config"},
            required = true,
            paramLabel = "FILE",
            description = "The configuration.")
    Path config = Path.of("");

    @Option(names = "--workload", paramLabel = "NAME", description = "The workload that sends it.")
    String workload = "";

    @Option(names = "--user", paramLabel = "NAME", description = "The user of proxy.auth that sends it.")
    String user = "";

    @Option(names = "--source", paramLabel = "IP", description = "The address that it comes from.")
    String source = "";

    @Option(
            names = {"-H", "--header"},
            paramLabel = "LINE",
            description = "A header, such as 'Accept: text/html'; may be repeated.")
    List<String> headers = new ArrayList<>();

    @Option(
            names = {"-d", "--data"},
            paramLabel = "TEXT",
            description = "The body; @FILE reads it from a file, @- from standard input.")
    @Nullable String data;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Option(
            names = "--live",
            description =
                    "Resolve the destination, and ask models, servers and token endpoints; nothing is sent to it.")
    boolean live;

    @Parameters(index = "0", paramLabel = "METHOD", description = "Such as GET; CONNECT for a tunnel.")
    String method = "";

    @Parameters(index = "1", paramLabel = "URL", description = "Absolute; for CONNECT host:port is enough.")
    String url = "";

    @Mixin
    HelpOption help = new HelpOption();

    @Spec
    @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Failure, InterruptedException {
        try (Plugins plugins = Home.loadPlugins()) {
            ExplainRequest request = request();
            try (DryRun dry = EgressProxy.builder()
                    .config(config)
                    .environment(System.getenv())
                    .catalog(plugins.catalog())
                    .dryRun(live)) {
                return print(dry.explain(request), dry.remarks());
            }
        } catch (StartException e) {
            throw new Failure(e.problems());
        } catch (InvalidRequestException e) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(),
                    e.problems().getFirst().toString());
        }
    }

    private ExplainRequest request() throws InvalidRequestException, Failure {
        RequestFields fields = new RequestFields();
        fields.method(method, url);
        for (String line : headers) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new ParameterException(
                        Objects.requireNonNull(spec).commandLine(),
                        "-H needs a name and a value, such as 'Accept: */*'");
            }
            fields.header(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        fields.body(body());
        fields.sender(workload, user, source);
        fields.live(live);
        return fields.build();
    }

    private byte[] body() throws Failure {
        String given = data;
        if (given == null) {
            return new byte[0];
        }
        if (!given.startsWith("@")) {
            return given.getBytes(StandardCharsets.UTF_8);
        }
        String file = given.substring(1);
        try {
            return file.equals(STANDARD_INPUT) ? System.in.readAllBytes() : Files.readAllBytes(Path.of(file));
        } catch (IOException e) {
            throw new Failure(file + ": cannot be read: " + e.getMessage() + " (expected: the body)");
        }
    }

    private int print(Explanation explanation, List<String> remarks) {
        if (json) {
            ObjectNode whole = ExplanationJson.of(explanation);
            ArrayNode listed = whole.putArray("remarks");
            remarks.forEach(listed::add);
            System.out.println(whole.toPrettyString());
        } else {
            System.out.print(new ExplanationText(Palette.ofThisTerminal(), live).of(method + " " + url, explanation));
            remarks.forEach(remark -> System.out.println("note: " + Palette.clean(remark)));
        }
        return switch (explanation.verdict()) {
            case ALLOW, STUB -> ExitCode.OK;
            case REJECT, ERROR, UNDECIDABLE -> ExitCode.PROBLEM;
        };
    }
}
