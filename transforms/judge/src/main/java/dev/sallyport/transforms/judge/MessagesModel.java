package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.HttpCall;
import org.jspecify.annotations.Nullable;

/**
 * {@code llm_a}: Anthropic's Messages API, version 2023-06-01. The verdict is the input of a tool that the model must
 * use; a verdict in plain text is accepted too.
 */
final class MessagesModel extends Model {

    private static final String TOOL = "verdict";

    private final String key;

    MessagesModel(JudgeConfig config, String key) {
        super(config, "https://api.anthropic.com", "/messages");
        this.key = key;
    }

    @Override
    void authenticate(HttpCall.Builder call) {
        call.header("x-api-key", key).header("anthropic-version", "2023-06-01");
    }

    @Override
    ObjectNode body(String systemPrompt, String envelope, AnswerForm asked) {
        ObjectNode body = JSON.createObjectNode();
        body.put("model", model());
        body.put("max_tokens", maxTokens());
        body.put("system", systemPrompt);
        body.putArray("messages").addObject().put("role", "user").put("content", envelope);
        body.putArray("tools")
                .addObject()
                .put("name", TOOL)
                .put("description", "Reports the verdict on the request.")
                .set("input_schema", schema());
        body.putObject("tool_choice").put("type", "tool").put("name", TOOL);
        return body;
    }

    @Override
    Answer read(JsonNode reply) throws NoVerdictException {
        String end = reply.path("stop_reason").asText();
        if (end.equals("max_tokens")) {
            throw cutOff("max_tokens", reply.path("content").toString());
        }
        if (end.equals("refusal")) {
            throw NoVerdictException.failed("the model refused to answer");
        }
        JsonNode usage = reply.path("usage");
        return new Answer(
                verdict(reply.path("content")),
                usage.path("input_tokens").asLong(-1),
                usage.path("output_tokens").asLong(-1));
    }

    private static Verdict verdict(JsonNode content) throws NoVerdictException {
        JsonNode tool = only("tool_use", content);
        if (tool != null && tool.path("name").asText().equals(TOOL)) {
            return Verdict.of(tool.path("input"), content.toString());
        }
        JsonNode text = only("text", content);
        if (text != null && tool == null) {
            return Verdict.parse(text.path("text").asText());
        }
        throw NoVerdictException.malformed("there is no verdict, or more than one", content.toString());
    }

    /** The block of this type when there is exactly one. */
    private static @Nullable JsonNode only(String type, JsonNode content) throws NoVerdictException {
        JsonNode found = null;
        for (JsonNode block : content) {
            if (block.path("type").asText().equals(type)) {
                if (found != null) {
                    throw NoVerdictException.malformed("several verdicts", content.toString());
                }
                found = block;
            }
        }
        return found;
    }
}
