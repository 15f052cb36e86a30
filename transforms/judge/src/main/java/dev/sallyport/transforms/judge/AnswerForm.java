package dev.sallyport.transforms.judge;

import org.jspecify.annotations.Nullable;

/** How a model is told what its answer must look like; the answer is read strictly in any case. */
enum AnswerForm {
    /** By a JSON Schema, or a tool. */
    SCHEMA,
    /** As any JSON object. */
    OBJECT,
    /** By the prompt alone. */
    PROMPT;

    /** The form that asks less of a provider; null for none. */
    @Nullable AnswerForm less() {
        return switch (this) {
            case SCHEMA -> OBJECT;
            case OBJECT -> PROMPT;
            case PROMPT -> null;
        };
    }
}
