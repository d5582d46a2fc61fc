import { goldenTests } from '../golden/goldenTests.ts';

// Every kind of item, existing objects under policy none (with what another restore has left), filters, another backup.
goldenTests(['plain', 'existing-none', 'labels', 'shop-backup']);
