package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpReply;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A provider's wire format. Thread-safe; holds the key and shows it nowhere. */
abstract sealed class Model permits MessagesModel, ChatModel {

    /** Rejects JSON that two readers could understand differently. */
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final String VERSION = "/v1";
    private static final int MAX_REPLY_BYTES = 256 * 1024;

    private final JudgeConfig config;
    private final URI endpoint;
    private final String system;

    /** What the provider was last known to understand. */
    private volatile AnswerForm form = AnswerForm.SCHEMA;

    Model(JudgeConfig config, String publicBase, String path) {
        String base = config.provider().baseUrl().isEmpty()
                ? publicBase
                : config.provider().baseUrl();
        this.config = config;
        this.endpoint = endpoint(base, path);
        this.system = SystemPrompt.of(config.prompt());
    }

    /** A base address without a path gets that of the version; gateways have others, which are taken as they stand. */
    private static URI endpoint(String base, String path) {
        String plain = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
        boolean bare = URI.create(plain).getRawPath().isEmpty();
        return URI.create(plain + (bare ? VERSION : "") + path);
    }

    /**
     * A provider's answer.
     *
     * @param inputTokens the tokens that it received, -1 when it does not say
     * @param outputTokens the tokens of its answer, -1 when it does not say
     */
    record Answer(Verdict verdict, long inputTokens, long outputTokens) {}

    static Model of(JudgeConfig config, String key) {
        return switch (config.provider().type()) {
            case LLM_A -> new MessagesModel(config, key);
            case LLM_B -> new ChatModel(config, key);
        };
    }

    /** The form of the answer to ask for first. */
    final AnswerForm form() {
        return form;
    }

    /** An answer in this form has come: the next question asks for it at once. */
    final void understands(AnswerForm understood) {
        form = understood;
    }

    /** The form to ask for instead, when a reply says that this one is not understood; null otherwise. */
    @Nullable AnswerForm lessThan(AnswerForm asked, HttpReply reply) {
        return null;
    }

    /**
     * The call that asks about one request.
     *
     * @param timeout its time limit
     */
    final HttpCall question(String envelope, AnswerForm asked, Duration timeout) {
        HttpCall.Builder call = HttpCall.to("POST", endpoint)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .timeout(timeout)
                .maxReplyBytes(MAX_REPLY_BYTES);
        authenticate(call);
        return call.body(body(system, envelope, asked).toString()).build();
    }

    /** The answer in a reply. */
    final Answer answer(HttpReply reply) throws NoVerdictException {
        if (reply.status() != 200) {
            throw NoVerdictException.failed("status " + reply.status());
        }
        JsonNode answer;
        try {
            answer = JSON.readTree(reply.body());
        } catch (JacksonException e) {
            throw NoVerdictException.failed("the reply is not JSON, or is ambiguous");
        } catch (IOException e) {
            throw new IllegalStateException("cannot fail: the bytes are in memory", e);
        }
        return read(answer);
    }

    abstract void authenticate(HttpCall.Builder call);

    abstract ObjectNode body(String systemPrompt, String envelope, AnswerForm asked);

    abstract Answer read(JsonNode reply) throws NoVerdictException;

    final String model() {
        return config.provider().model();
    }

    final int maxTokens() {
        return config.provider().maxTokens();
    }

    /** An answer that was cut off. */
    final NoVerdictException cutOff(String limit, String output) {
        return NoVerdictException.malformed(
                "the answer was cut off at " + limit + " (provider.max_tokens is " + maxTokens() + ", and can be more)",
                output);
    }

    /** The JSON Schema of a verdict. */
    static ObjectNode schema() {
        ObjectNode schema = JSON.createObjectNode();
        schema.put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        properties
                .putObject("decision")
                .put("type", "string")
                .putArray("enum")
                .add("ALLOW")
                .add("DENY");
        properties.putObject("reason").put("type", "string");
        schema.putArray("required").add("decision").add("reason");
        schema.put("additionalProperties", false);
        return schema;
    }

    @Override
    public String toString() {
        return "Model[" + model() + "]";
    }
}
