package dev.sallyport.control.account;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes links to the log, where no mail server is configured. */
public final class LogMail implements Mail {

    private static final Logger LOG = LoggerFactory.getLogger(LogMail.class);

    @Override
    public void verification(String address, String link) {
        LOG.info("verification of {}: {}", address, link);
    }
}
