package dev.sallyport.control.agent;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** How far an agent is. From idle there is no way back. */
public enum AgentStatus {
    /** Its VM is made, and its repository cloned. */
    @JsonProperty("provisioning")
    PROVISIONING,
    /** Its harness lives. */
    @JsonProperty("running")
    RUNNING,
    /** Its harness has ended, or never began: its log says why. */
    @JsonProperty("idle")
    IDLE;

    /** As the API and the database have it. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
