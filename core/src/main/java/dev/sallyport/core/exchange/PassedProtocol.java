package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.spi.Destination;

/** What is spoken on a connection that is passed through. */
public sealed interface PassedProtocol permits ClientHelloFacts, OtherTcp {

    /** Whether this generation passes it through at all; if so, its transforms are asked. */
    boolean isPassedBy(Generation generation, Destination destination);

    /**
     * Notes it in the record.
     *
     * @param editsIgnored whether transforms edited the request, which cannot be edited
     */
    void note(MutableAuditRecord record, boolean editsIgnored);
}
