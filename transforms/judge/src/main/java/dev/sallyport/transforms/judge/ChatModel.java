package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.spi.HttpCall;

/** {@code llm_b}: OpenAI's chat completions API and compatible gateways. A JSON Schema describes the verdict. */
final class ChatModel extends Model {

    private final String key;

    ChatModel(JudgeConfig config, String key) {
        super(config, "https://api.openai.com", "/v1/chat/completions");
        this.key = key;
    }

    @Override
    void authenticate(HttpCall.Builder call) {
        call.header("Authorization", "Bearer " + key);
    }

    @Override
    ObjectNode body(String systemPrompt, String envelope) {
        ObjectNode body = JSON.createObjectNode();
        body.put("model", model());
        body.put("max_completion_tokens", maxTokens());
        var messages = body.putArray("messages");
        messages.addObject().put("role", "system").put("content", systemPrompt);
        messages.addObject().put("role", "user").put("content", envelope);
        body.putObject("response_format")
                .put("type", "json_schema")
                .putObject("json_schema")
                .put("name", "verdict")
                .put("strict", true)
                .set("schema", schema());
        return body;
    }

    @Override
    Answer read(JsonNode reply) throws NoVerdictException {
        JsonNode choices = reply.path("choices");
        JsonNode choice = choices.path(0);
        JsonNode message = choice.path("message");
        if (message.path("refusal").isTextual()) {
            throw NoVerdictException.failed("the model refused to answer");
        }
        if (choices.size() != 1 || !message.path("content").isTextual()) {
            throw NoVerdictException.malformed("there is no verdict, or more than one", choices.toString());
        }
        String content = message.path("content").textValue();
        String end = choice.path("finish_reason").asText();
        if (end.equals("length")) {
            throw NoVerdictException.malformed(
                    "the answer was the answer was cut off at max_completion_tokens", content);
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
