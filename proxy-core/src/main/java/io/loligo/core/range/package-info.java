/** Parts of content a client asks for (RFC 9110 section 14). Pure functions, no state. */
package io.loligo.core.range;
