package dev.sallyport.control.agent;

import dev.sallyport.sandbox.TaskName;
import java.util.Locale;

/** What is done to an agent, in this order. All but the last are tasks in its VM. */
enum AgentStage {
    /** Its repository is cloned. */
    CLONE,
    /** What was checked out is asked for. */
    HEAD,
    /** Its harness works. */
    HARNESS,
    /** What it has changed is collected. */
    STAGE,
    /** And kept as a patch. */
    PATCH,
    /** And committed, where it is to be pushed. */
    COMMIT,
    /** And pushed. */
    PUSH,
    /** Nothing more. */
    DONE;

    TaskName task() {
        return new TaskName("agent-" + name().toLowerCase(Locale.ROOT));
    }

    /** Whether what the task writes is an answer, and not for the log. */
    boolean answers() {
        return this == HEAD || this == PATCH;
    }
}
