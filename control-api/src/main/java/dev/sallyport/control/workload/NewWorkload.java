package dev.sallyport.control.workload;

import java.time.Instant;

/** A workload with its password, which is shown here and never again. */
public record NewWorkload(String id, String name, String user, String password, Instant createdAt) {

    /** What is known of it, without the password. */
    Workload withoutPassword() {
        return new Workload(id, name, user, createdAt);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "NewWorkload[" + id + "]";
    }
}
