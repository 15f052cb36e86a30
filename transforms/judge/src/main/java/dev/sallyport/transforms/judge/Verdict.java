package dev.sallyport.transforms.judge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * A model's decision.
 *
 * @param reason in its own words
 */
record Verdict(boolean allowed, String reason) {

    private static final String FENCE = "```";

    /**
     * Reads an answer: one JSON object with exactly {@code decision} and {@code reason}, alone or in one code fence.
     *
     * @throws NoVerdictException when it is anything else
     */
    static Verdict parse(String answer) throws NoVerdictException {
        try {
            return of(Model.JSON.readTree(unfenced(answer.strip())), answer);
        } catch (JsonProcessingException e) {
            throw NoVerdictException.malformed("no JSON", answer);
        }
    }

    /** As {@link #parse}, for an answer that is already parsed. */
    static Verdict of(JsonNode answer, String raw) throws NoVerdictException {
        JsonNode decision = answer.path("decision");
        JsonNode reason = answer.path("reason");
        if (!answer.isObject() || answer.size() != 2 || !decision.isTextual() || !reason.isTextual()) {
            throw NoVerdictException.malformed("the answer is not an object with decision and reason", raw);
        }
        return switch (decision.textValue()) {
            case "ALLOW" -> new Verdict(true, reason.textValue());
            case "DENY" -> new Verdict(false, reason.textValue());
            default -> throw NoVerdictException.malformed("the decision is neither ALLOW nor DENY", raw);
        };
    }

    private static String unfenced(String answer) {
        boolean fenced = answer.startsWith(FENCE) && answer.endsWith(FENCE) && answer.length() > 2 * FENCE.length();
        if (!fenced) {
            return answer;
        }
        String inside = answer.substring(FENCE.length(), answer.length() - FENCE.length());
        return inside.startsWith("json") ? inside.substring("json".length()) : inside;
    }
}
