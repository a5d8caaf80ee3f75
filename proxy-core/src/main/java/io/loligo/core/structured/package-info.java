/** Structured fields (RFC 9651): from text to values. */
package io.loligo.core.structured;
