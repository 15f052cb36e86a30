package dev.sallyport.benchmarks;

import dev.sallyport.toolkit.template.Template;
import dev.sallyport.toolkit.template.TemplateException;
import dev.sallyport.toolkit.template.TemplateSchema;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Templates as {@code secrets} and {@code hmac_sign} have them, rendered; they are compiled with the configuration. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TemplateBenchmark {

    private static final TemplateSchema VALUE =
            TemplateSchema.builder().text("Value").build();
    private static final TemplateSchema MESSAGE = TemplateSchema.builder()
            .text("Timestamp")
            .text("Method")
            .text("PathWithQuery")
            .text("Body")
            .texts("Credentials", List.of("key"))
            .build();

    private final Template formatter = compiled("Bearer {{.Value}}", VALUE);
    private final Template basic = compiled("Basic {{base64 \"x-token:\" .Value}}", VALUE);
    private final Template message = compiled("{{.Timestamp}}{{.Method}}{{.PathWithQuery}}{{.Body}}", MESSAGE);
    private final byte[] body = new byte[1024];

    private static Template compiled(String source, TemplateSchema schema) {
        try {
            return Template.compile(source, schema);
        } catch (TemplateException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@code Bearer {{.Value}}}. */
    @Benchmark
    public String formatter() {
        return formatter.renderText(VALUE.values().set("Value", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"));
    }

    /** With a function. */
    @Benchmark
    public String basic() {
        return basic.renderText(VALUE.values().set("Value", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"));
    }

    /** What is signed of a request with a body of 1 KiB. */
    @Benchmark
    public byte[] message() {
        return message.render(MESSAGE.values()
                .set("Timestamp", "1700000000")
                .set("Method", "POST")
                .set("PathWithQuery", "/api/v1/order?symbol=XBTUSD")
                .set("Body", body)
                .set("Credentials", "key", "LAqUlngMIQkIUjXMUreyu3qn"));
    }
}
