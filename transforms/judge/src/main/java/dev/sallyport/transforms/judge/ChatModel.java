package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpReply;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code llm_b}: OpenAI's chat completions API and compatible gateways. A JSON Schema describes the verdict, where that is
 * understood.
 */
final class ChatModel extends Model {

    private static final int BAD_REQUEST = 400;

    /** How providers speak of the member of the request, or of what it asks for. */
    private static final Pattern FORMAT =
            Pattern.compile("response.?format|json.?schema|json.?object|structured.?output", Pattern.CASE_INSENSITIVE);

    private final String key;

    ChatModel(JudgeConfig config, String key) {
        super(config, "https://api.openai.com", "/chat/completions");
        this.key = key;
    }

    @Override
    void authenticate(HttpCall.Builder call) {
        call.header("Authorization", "Bearer " + key);
    }

    @Override
    @Nullable AnswerForm lessThan(AnswerForm asked, HttpReply reply) {
        return reply.status() == BAD_REQUEST && FORMAT.matcher(text(reply)).find() ? asked.less() : null;
    }

    private static String text(HttpReply reply) {
        return new String(reply.body(), StandardCharsets.UTF_8);
    }

    @Override
    ObjectNode body(String systemPrompt, String envelope, AnswerForm asked) {
        ObjectNode body = JSON.createObjectNode();
        body.put("model", model());
        body.put("max_completion_tokens", maxTokens());
        var messages = body.putArray("messages");
        messages.addObject().put("role", "system").put("content", systemPrompt);
        messages.addObject().put("role", "user").put("content", envelope);
        switch (asked) {
            case SCHEMA ->
                body.putObject("response_format")
                        .put("type", "json_schema")
                        .putObject("json_schema")
                        .put("name", "verdict")
                        .put("strict", true)
                        .set("schema", schema());
            case OBJECT -> body.putObject("response_format").put("type", "json_object");
            case PROMPT -> {}
        }
        return body;
    }

    /** A text, or a list of parts of which those of type {@code text} are one; null for anything else. */
    private static @Nullable String content(JsonNode content) {
        if (!content.isArray()) {
            return content.textValue();
        }
        StringBuilder text = new StringBuilder();
        for (JsonNode part : content) {
            if (part.path("type").asText().equals("text")) {
                text.append(part.path("text").asText());
            }
        }
        return text.isEmpty() ? null : text.toString();
    }

    @Override
    Answer read(JsonNode reply) throws NoVerdictException {
        JsonNode choices = reply.path("choices");
        JsonNode choice = choices.path(0);
        JsonNode message = choice.path("message");
        if (message.path("refusal").isTextual()) {
            throw NoVerdictException.failed("the model refused to answer");
        }
        String end = choice.path("finish_reason").asText();
        if (end.equals("length")) {
            throw cutOff("max_completion_tokens", message.path("content").asText());
        }
        String content = choices.size() == 1 ? content(message.path("content")) : null;
        if (content == null) {
            throw NoVerdictException.malformed("there is no verdict, or more than one", choices.toString());
        }
        if (end.equals("content_filter")) {
            throw NoVerdictException.failed("the answer was filtered");
        }
        JsonNode usage = reply.path("usage");
        return new Answer(
                Verdict.parse(content),
                usage.path("prompt_tokens").asLong(-1),
                usage.path("completion_tokens").asLong(-1));
    }
}
