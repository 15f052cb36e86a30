/** A whole proxy between clients and servers that are not ours. */
package dev.sallyport.conformance;
